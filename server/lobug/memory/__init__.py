"""Long-term memory: what was said, what is known from it, and how it is found again.

``service.Memory`` is the only entry point; ``model`` holds the types of its arguments and results,
``tools`` offers it to callers of tools. Inside, a module imports only from its own layer and from
those above it in this list:

1. ``model``: value types.
2. ``index``: words and vectors of entries and turns.
3. ``entries``, ``log``, ``projects``, ``recall_log``, ``sessions``, ``timeline``: rows.
4. ``identity``, then ``facts`` and ``store``: rules about entries.
5. ``embedding``: vectors of facts, turns and questions.
6. ``jobs``: the queue of background tasks. ``schedule``: when they are due.
7. ``recall``, ``learning``, ``erasure``, ``exchange``, ``statistics``, ``turns``: operations.
8. ``worker``: runs background tasks.
9. ``service``, then ``tools``.
"""
