from shop.pool import Deep, Pool


def make() -> Pool:
    return Deep(3)


def day() -> None:
    pool = make()
    pool.size = 4
    pool.close()
