"""What operators watch: numbers of the three databases as Prometheus takes them, read when they are asked for."""
