"""The Chinese words that features, filters and recall rounds look for, by class, and how they are looked for.

Belongs here: word lists and finding them. Does not belong here: what a hit costs. Words are written folded
(NFKC, lower case). No word of ``WEAK_CLICKBAIT`` overlaps another word of these classes: erasing weak words ends in
one text whatever their order, so a further one can neither split nor hide a graver word (S-026).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType

from supply_assets.normalisation.texts import fold

_LATIN = re.compile("[a-z0-9]")


def _words(spaced: str) -> tuple[str, ...]:
    return tuple(spaced.split())


STRONG_CLICKBAIT: tuple[str, ...] = _words(
    "震惊 速看 速转 赶紧看 赶快看 赶紧转发 快转给 不看后悔 惊呆 吓尿 吓傻 吓出一身冷汗 "
    "泪崩 疯传 太可怕了 真相竟是 删前 紧急扩散 不敢相信 炸锅了 出大事了 医生都怕"
)
"""Words that make a title clickbait on their own."""

WEAK_CLICKBAIT: tuple[str, ...] = _words(
    "竟然 居然 原来如此 没想到 揭秘 曝光 重磅 刚刚 突发 罕见 厉害了 千万别 注意了 必看 刷爆朋友圈 紧急通知"
)
"""Words that honest titles use as well: a weak sign, never a filter reason on their own."""

CLICKBAIT: tuple[str, ...] = STRONG_CLICKBAIT + WEAK_CLICKBAIT

EXAGGERATION: tuple[str, ...] = _words(
    "史上最 全球第一 世界第一 国家级秘密 百分百有效 100%有效 立竿见影 永不复发 一次见效 一招搞定 绝对有效 "
    "彻底告别 神效 奇效 长生不老 返老还童 起死回生 包你满意 躺赚"
)

MARKETING: tuple[str, ...] = _words(
    "加微信 加我微信 添加微信 加v信 微信号: 扫码领取 扫码购买 扫码加群 扫码进群 扫描下方二维码购买 "
    "限时优惠 限时抢购 限时秒杀 限量抢购 立即抢购 点击购买 下单立减 原价: 优惠券 包邮 代理加盟 招商加盟 "
    "诚招代理 招代理 免费领取 0元领 厂家直销 货到付款 买一送一 前100名"
)

PSEUDO_SCIENCE: tuple[str, ...] = _words(
    "祖传秘方 民间偏方 神医传人 神医秘方 根治 包治 包治百病 治愈癌症 抗癌神器 排毒养颜 排毒 清宿便 排宿便 量子养生 "
    "量子能量 量子水 磁疗床 磁疗仪 酸性体质 碱性体质 负离子养生 干细胞养生 饥饿疗法 尿疗 断食治病 不吃药不打针 "
    "食物相克 延年益寿的神 能量水 小分子水 打通经络 拍打治病"
)

INDUCEMENT: tuple[str, ...] = _words(
    "转发到群 转发朋友圈 转发到朋友圈 转发三个群 分享到三个群 不转不是 不转就 转发领 转发有奖 转发积德 "
    "转了就 点赞领 集赞 关注领红包 分享领 点赞送 为了家人转 转给所有人 转发保平安"
)

BANNED: tuple[str, ...] = _words(
    "六合彩 时时彩 博彩平台 网上赌场 在线赌场 澳门赌场 百家乐 赌球网 彩票内幕 裸聊 色情网 成人视频 "
    "成人电影 招嫖 援交妹 约炮 一夜情 代开发票 办证刻章 刻章办证 出售枪支 枪支出售 迷药 迷魂药 套现秒到 "
    "无抵押秒批 黑户贷款 出售银行卡 收购银行卡 跑分平台 内幕股票 稳赚不赔 日赚千元"
)
"""Terms of gambling, pornography, fraud offers and forbidden trade: offers, not the words that warn of them."""

RISK_CLASSES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "banned": BANNED,
        "pseudo_science": PSEUDO_SCIENCE,
        "inducement": INDUCEMENT,
        "marketing": MARKETING,
        "exaggeration": EXAGGERATION,
    }
)

WARNING: tuple[str, ...] = _words(
    "骗局 骗术 骗子 诈骗 防骗 反诈 辟谣 谣言 警惕 当心 谨防 小心 不要相信 不可信 不靠谱 伪科学 虚假 误区 假的 "
    "上当 违法 非法 打击 查处 举报 拒绝 远离 套路 抓获 起诉 判刑 不存在 没有科学依据 无法 所谓"
)
"""Words of a sentence that warns of a thing rather than offers it; a risk word beside them is no sign of risk."""

ELDER_TOPICS: tuple[str, ...] = _words(
    "老年 老人 长辈 爸妈 父母 爷爷 奶奶 退休 养老 晚年 银发 敬老 重阳 中老年 养生 健康 血压 血糖 血脂 关节 "
    "骨质疏松 心脑血管 中风 阿尔茨海默 失智 睡眠 听力 白内障 防诈骗 反诈 医保 社保 养老金 慢性病 体检 "
    "广场舞 太极 书法 戏曲 老歌 怀旧 老照片 孙子 带娃 节气 菜谱"
)

SCENES: tuple[str, ...] = _words(
    "怎么办 怎么做 注意事项 科普 做法 方法 老人 技巧 误区 提醒 真相 辟谣 案例 指南 攻略 政策解读 故事 回忆 盘点 推荐"
)
"""What a reader is in the middle of; recall appends them to a core term in its last rounds (S-020)."""

TOPICS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "health": _words(
            "健康 养生 医生 医院 疾病 癌 血压 血糖 血脂 糖尿病 心脏 脑梗 中风 感冒 流感 疫苗 用药 药物 "
            "症状 体检 睡眠 失眠 锻炼 中医 穴位 疼痛 免疫 保健 护理 骨质疏松 病毒"
        ),
        "policy": _words(
            "政策 社保 医保 养老金 退休金 补贴 公积金 户口 法律 法规 条例 国务院 人社部 民政 低保 新规 "
            "个税 税务 两会 改革 待遇 政府"
        ),
        "anti_fraud": _words(
            "诈骗 反诈 骗局 骗子 被骗 防骗 传销 钓鱼网站 非法集资 电信网络诈骗 套路 冒充 洗钱 盗刷 木马 上当"
        ),
        "life_skills": _words(
            "生活小 妙招 窍门 技巧 收纳 清洁 去污 家务 省钱 省电 手机 微信使用 教程 维修 选购 保存 "
            "安全常识 消防 急救 用电 燃气 驾驶"
        ),
        "food": _words(
            "美食 菜谱 食谱 做法 好吃 食材 烹饪 炒菜 清炒 炖汤 煲汤 早餐 晚餐 蔬菜 水果 饺子 面条 豆腐 食品 营养 饮食 "
            "吃法 火锅"
        ),
        "emotion": _words(
            "情感 婚姻 夫妻 爱情 亲情 友情 孝顺 孝心 父母 母亲 父亲 儿女 子女 孙子 家庭 陪伴 孤独 感恩 感动 心灵 "
            "人生 幸福 祝福"
        ),
        "culture": _words(
            "文化 历史 传统 诗词 书法 国画 戏曲 京剧 民俗 节气 节日 春节 中秋 重阳 非遗 文物 博物馆 古代 "
            "老歌 经典 怀旧 文学 电影 音乐"
        ),
        "society": _words(
            "社会 新闻 民生 国际 经济 城市 乡村 农村 农民 教育 学校 高考 就业 交通 天气 环保 军人 解放军 国家 英雄 警方"
        ),
        "technology": _words(
            "科技 技术 互联网 人工智能 ai 数据 软件 芯片 网络安全 漏洞 黑客 航天 卫星 算法 机器人 手机"
        ),
        "travel_leisure": _words(
            "旅游 旅行 景区 景点 公园 自驾 酒店 广场舞 太极 钓鱼 摄影 花卉 养花 种菜 宠物 运动 足球 比赛"
        ),
    }
)
"""Sub-topics whose coverage ranking counts (S-024); a text may have several or none."""


class Clickbait(StrEnum):
    """How much of a clickbait title a title is."""

    NONE = "none"
    WEAK = "weak"
    STRONG = "strong"


@lru_cache(maxsize=4096)
def _folded(word: str) -> str:
    return fold(word)


@lru_cache(maxsize=64)
def _any_of(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(needle) for word in words if (needle := _folded(word))) or "(?!)")


def found(text: str, words: Iterable[str]) -> list[str]:
    """The distinct ``words`` that the folded ``text`` contains, in the order of ``words``; blank words never."""
    return found_folded(fold(text), words)


def found_folded(folded: str, words: Iterable[str]) -> list[str]:
    """``found`` for a text that is folded already."""
    listed = tuple(words)
    if not holds_any(folded, listed):
        return []
    return [word for word in dict.fromkeys(listed) if _holds(folded, _folded(word))]


def holds_any(folded: str, words: tuple[str, ...]) -> bool:
    """Whether a folded text may hold one of ``words``: never wrongly ``False``, and much cheaper than ``found``."""
    return _any_of(words).search(folded) is not None


def _holds(folded: str, needle: str) -> bool:
    """Whether ``needle`` occurs; where it ends in a Latin letter or digit, as a word (``ai``, not ``email``)."""
    if not needle or needle not in folded:
        return False
    if not (_LATIN.match(needle[0]) or _LATIN.match(needle[-1])):
        return True
    before = "(?<![a-z0-9])" if _LATIN.match(needle[0]) else ""
    after = "(?![a-z0-9])" if _LATIN.match(needle[-1]) else ""
    return re.search(before + re.escape(needle) + after, folded) is not None


def erased(text: str, words: Iterable[str]) -> str:
    """The folded ``text`` after erasing ``words`` until none is left, also those that erasing brought together."""
    folded = fold(text)
    listed = tuple(words)
    if not holds_any(folded, listed):
        return folded
    needles = tuple(needle for word in listed if (needle := _folded(word)))
    kept: list[str] = []
    for character in folded:
        kept.append(character)
        for needle in needles:
            if character == needle[-1] and "".join(kept[-len(needle) :]) == needle:
                del kept[-len(needle) :]
                break
    return fold("".join(kept))


def clickbait(title: str) -> tuple[Clickbait, list[str]]:
    """The grade of ``title`` and the words that gave it; a further clickbait word never lowers the grade (S-026)."""
    folded = fold(title)
    weak = found_folded(folded, WEAK_CLICKBAIT)
    strong = found_folded(erased(folded, WEAK_CLICKBAIT) if weak else folded, STRONG_CLICKBAIT)
    if strong:
        return Clickbait.STRONG, strong + weak
    return (Clickbait.WEAK, weak) if weak else (Clickbait.NONE, [])


def topics(text: str) -> list[str]:
    """The sub-topics that ``text`` touches, in the order of ``TOPICS`` (S-024)."""
    folded = fold(text)
    return [topic for topic, words in TOPICS.items() if found_folded(folded, words)]
