"""Plans that the stand-in platform was asked for."""
