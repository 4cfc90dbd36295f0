"""The one exception type of weft."""


class Error(ValueError, RuntimeError):
    """A bad argument or a failed operation.

    The message names the argument, its value and what is allowed. When a collective call fails on any rank, every rank
    of the communicator raises it with the same message.
    """


Error.__module__ = "weft"
