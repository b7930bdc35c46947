"""Long-term memory: what was said, what is known from it, and how it is found again.

``service.Memory`` is the only entry point; ``model`` holds the types of its arguments and results,
``tools`` offers it to callers of tools. Inside, a module imports only from its own layer and from
those above it in this list:

1. ``model``, ``keys``, ``access``: value types, names of entries, the condition of every query.
2. ``index``: words and vectors of entries and turns.
3. ``entries``, ``log``, ``sessions``, ``timeline``, ``recall_log``, ``projects``,
   ``session_summary``: rows.
4. ``identity``, ``fact_merge``, ``facts``, ``store``: rules about entries.
5. ``embedding``: vectors of facts, turns and questions.
6. ``jobs``: the queue of background tasks and when they are due.
7. ``recall``, ``learning``, ``erasure``, ``exchange``, ``turns``, ``statistics``, ``project_list``:
   one operation each.
8. ``background``: the worker.
9. ``service``, then ``tools``.
"""
