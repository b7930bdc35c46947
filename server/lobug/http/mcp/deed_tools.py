"""Tools that do something in the house: announcements, timers, alarms, reminders and lists. Each is
a route of HTTP, called with the same models."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from lobug.errors import DeviceOfflineError, InvalidRequestError
from lobug.http import alerts, announce, lists
from lobug.http.alerts import AlertChange, AlertRequest
from lobug.http.announce import AnnounceRequest
from lobug.http.lists import ItemRequest, ItemsRequest, KnownList, KnownLists, ListItem, ListScope
from lobug.http.mcp.tool import McpAnswer, McpCall, McpTool, answer_of
from lobug.http.memory.requests import MAX_ID
from lobug.memory.tools import Arguments

Id = Annotated[int, Field(ge=1, le=MAX_ID)]


class ChangeAlertArguments(AlertChange):
    """Of ``alert_change``."""

    id: Id = Field(description="Id of the timer, alarm or reminder.")


class CancelAlertArguments(Arguments):
    """Of ``alert_cancel``."""

    id: Id = Field(description="Id of the timer, alarm or reminder.")


class NoArguments(Arguments):
    """Of a tool that takes none."""


class OneListArguments(Arguments):
    """Of a tool for one list."""

    name: str = Field(
        min_length=1,
        max_length=500,
        description="Name of the list, however it is worded: `shopping`, `groceries`.",
    )
    scope: ListScope = Field(
        "user", description="The person's own list, or the household's of that name."
    )


class ShowListsArguments(Arguments):
    """Of ``lists_show``."""

    name: str | None = Field(
        None, min_length=1, max_length=500, description="Only this list; left out: all."
    )
    scope: ListScope = Field(
        "user", description="With a name: the person's own list, or the household's."
    )


class AddToListArguments(OneListArguments):
    """Of ``list_add``."""

    items: list[str] = Field(min_length=1, description="What to put on it, one line each.")


class ChangeItemArguments(OneListArguments):
    """Of ``list_change``."""

    item_id: Id = Field(description="Id of the thing on the list.")
    content: str | None = Field(None, description="Its new words.")
    done: bool | None = Field(None, description="Tick it off, or open it again.")


class RemoveItemArguments(OneListArguments):
    """Of ``list_remove``."""

    item_id: Id = Field(description="Id of the thing on the list.")


class PutOnList(BaseModel):
    """What came of adding things. It does not show what else is on the list, which is for those who
    may see it."""

    name: str = Field(description="Name of the list.")
    added: list[ListItem] = Field(description="What is new on it, or open again.")
    present: list[ListItem] = Field(description="What was on it already.")


async def _announce(call: McpCall, asked: AnnounceRequest) -> McpAnswer:
    result = await announce.announce(asked, call.server, call.request)
    if not result.said_on and not result.waits_for:
        raise DeviceOfflineError("it was said on no device, and waits for nobody")
    said = f"Said on: {', '.join(result.said_on)}." if result.said_on else "Not said yet."
    waits = f" It waits for: {', '.join(result.waits_for)}." if result.waits_for else ""
    return answer_of(result, said + waits)


async def _show_alerts(call: McpCall, _: NoArguments) -> McpAnswer:
    return answer_of(await alerts.alerts(call.scope, call.server))


async def _set_alert(call: McpCall, asked: AlertRequest) -> McpAnswer:
    return answer_of(await alerts.add(asked, call.scope, call.conversation_key, call.server))


async def _change_alert(call: McpCall, asked: ChangeAlertArguments) -> McpAnswer:
    nothing = asked.label is None and asked.at is None and asked.in_s is None
    if nothing and "rule" not in asked.model_fields_set:
        raise InvalidRequestError("give what to change: label, at, in_s or rule")
    return answer_of(await alerts.change(asked.id, asked, call.scope, call.server))


async def _cancel_alert(call: McpCall, asked: CancelAlertArguments) -> McpAnswer:
    return answer_of(await alerts.cancel(asked.id, call.scope, call.server))


async def _show_lists(call: McpCall, asked: ShowListsArguments) -> McpAnswer:
    if asked.name is None:
        return answer_of(await lists.lists(call.scope, call.server))
    found = await lists.show(asked.name, call.scope, call.server, asked.scope, "json")
    return answer_of(KnownLists(lists=[found] if isinstance(found, KnownList) else []))


async def _add_to_list(call: McpCall, asked: AddToListArguments) -> McpAnswer:
    request = ItemsRequest(items=asked.items)
    came = await lists.add_items(asked.name, request, call.scope, call.server, asked.scope)
    return answer_of(PutOnList(name=came.after.name, added=came.added, present=came.present))


async def _change_item(call: McpCall, asked: ChangeItemArguments) -> McpAnswer:
    if asked.content is None and asked.done is None:
        raise InvalidRequestError("give what to change: content or done")
    request = ItemRequest(content=asked.content, done=asked.done)
    return answer_of(
        await lists.change_item(
            asked.name, asked.item_id, request, call.scope, call.server, asked.scope
        )
    )


async def _remove_item(call: McpCall, asked: RemoveItemArguments) -> McpAnswer:
    return answer_of(
        await lists.remove_item(asked.name, asked.item_id, call.scope, call.server, asked.scope)
    )


DEED_TOOLS: tuple[McpTool, ...] = (
    McpTool(
        name="announce",
        title="Say something on a device",
        description="Say a text aloud on Lo-Bug's devices, without being asked there. Answers when"
        " it has been said or waits for its people; the answer says which.",
        scope="devices:speak",
        arguments=AnnounceRequest,
        work=_announce,
    ),
    McpTool(
        name="alerts_show",
        title="Show timers, alarms and reminders",
        description="Show the timers, alarms and reminders that are set or ring.",
        scope="deeds:read",
        arguments=NoArguments,
        work=_show_alerts,
        read_only=True,
    ),
    McpTool(
        name="alert_set",
        title="Set a timer, alarm or reminder",
        description="Set a timer, an alarm or a reminder, with exactly one of at and in_s. The"
        " answer shows what was set and when it rings.",
        scope="deeds:write",
        arguments=AlertRequest,
        work=_set_alert,
    ),
    McpTool(
        name="alert_change",
        title="Change a timer, alarm or reminder",
        description="Change the words of a timer, an alarm or a reminder, when it rings, or whether"
        " it repeats.",
        scope="deeds:write",
        arguments=ChangeAlertArguments,
        work=_change_alert,
        destructive=True,
    ),
    McpTool(
        name="alert_cancel",
        title="Cancel a timer, alarm or reminder",
        description="Cancel a timer, an alarm or a reminder, or end its ringing; the answer shows"
        " what it was.",
        scope="deeds:write",
        arguments=CancelAlertArguments,
        work=_cancel_alert,
        destructive=True,
    ),
    McpTool(
        name="lists_show",
        title="Show lists",
        description="Show the person's lists and those of the household that they may see, or one"
        " list, with what is on them.",
        scope="deeds:read",
        arguments=ShowListsArguments,
        work=_show_lists,
        read_only=True,
    ),
    McpTool(
        name="list_add",
        title="Put things on a list",
        description="Put things on a list, all or none; the list is made if there is none.",
        scope="deeds:write",
        arguments=AddToListArguments,
        work=_add_to_list,
        idempotent=True,
    ),
    McpTool(
        name="list_change",
        title="Change a thing on a list",
        description="Change the words of a thing on a list, or tick it off.",
        scope="deeds:write",
        arguments=ChangeItemArguments,
        work=_change_item,
        destructive=True,
        idempotent=True,
    ),
    McpTool(
        name="list_remove",
        title="Take a thing off a list",
        description="Take a thing off a list; the answer shows what it was.",
        scope="deeds:write",
        arguments=RemoveItemArguments,
        work=_remove_item,
        destructive=True,
    ),
)
