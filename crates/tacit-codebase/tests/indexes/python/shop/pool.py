class Pool:
    def __init__(self, size: int) -> None:
        self._size = size

    @property
    def size(self) -> int:
        return self._size

    @size.setter
    def size(self, to: int) -> None:
        self._size = to

    def close(self) -> None:
        pass


class Deep(Pool):
    def close(self) -> None:
        super().close()
