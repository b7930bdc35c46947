"""`/web/browsers` and `/web/invitations`, for the owner: which browsers are let in. `/web/qr`."""

from __future__ import annotations

import asyncio
from io import BytesIO
from typing import Annotated, Literal

import segno
from fastapi import APIRouter, Depends, Path
from pydantic import BaseModel, ConfigDict, Field

from lobug.access.addresses import WebAddresses
from lobug.access.records import Browser, Invitation
from lobug.access.service import Access
from lobug.errors import BrowserUnknownError, InvitationUnknownError
from lobug.http.dependencies import (
    CallerDep,
    ServerDep,
    documented,
    json_body,
    private,
    require_admin,
)
from lobug.http.devices.admin import OWNER_BODY_ERRORS, OWNER_ERRORS, Name, User
from lobug.http.formats import Answer, Time
from lobug.http.problems import error_responses
from lobug.http.web.session import get_web_addresses

QR_CHARS = 500
"""Longest text of a QR code: each character may take four of the 2,331 bytes."""


def _role(record: Browser | Invitation) -> Literal["owner", "person"]:
    return "owner" if record.owner else "person"


class KnownBrowser(Answer):
    """A browser that was let in."""

    id: str = Field(description="By which it is revoked.")
    name: str = Field(description="What it is called; may be empty.")
    user: str = Field(description="Whose words come from it.")
    role: Literal["owner", "person"] = Field(description="What it may do.")
    created_at: Time = Field(description="When it was let in.")
    last_used_at: Time | None = Field(description="When it was used last, to the minute.")
    expires_at: Time = Field(description="When it is signed out if it is not used before.")
    revoked_at: Time | None = Field(description="When it was revoked; null: it was not.")
    current: bool = Field(description="Whether it is the browser that asks.")


class KnownBrowsers(BaseModel):
    """All browsers."""

    browsers: list[KnownBrowser] = Field(
        description="Those as well that were revoked or have expired in the last 30 days, oldest"
        " first."
    )


class BrowserChange(BaseModel):
    """What changes about a browser; what is absent or null stays."""

    model_config = ConfigDict(extra="forbid")

    name: Name | None = Field(None, description="What to call it; empty: nothing.")
    user: User | None = Field(None, description="Whose words come from it.")


class KnownInvitation(Answer):
    """An invitation that can be used."""

    id: str = Field(description="By which it is withdrawn.")
    code: str = Field(description="Six digits, for the browser that is to be let in.")
    url: str | None = Field(
        description="What to open there, with the code in it; null: where the pages are is unknown."
    )
    qr: str | None = Field(description="The address as a QR code, an SVG document; null as `url`.")
    expires_at: Time = Field(description="Until when it can be used.")
    user: str = Field(description="Whose words will come from the browser.")
    role: Literal["owner", "person"] = Field(description="What the browser may do.")
    name: str = Field(description="What the browser will be called; empty: what it calls itself.")


class KnownInvitations(BaseModel):
    """All invitations that can be used."""

    invitations: list[KnownInvitation] = Field(description="Oldest first.")


class InvitationRequest(BaseModel):
    """Whose browser is to be let in."""

    model_config = ConfigDict(extra="forbid")

    user: User = Field(description="Whose words will come from the browser.")
    role: Literal["owner", "person"] = Field(
        "person",
        description="`person`: it has that user's memory, and nothing else. `owner`: it may also"
        " let devices and browsers in, and change settings.",
    )
    name: Name = Field("", description="What to call the browser.")


class QrRequest(BaseModel):
    """A text for a camera."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(min_length=1, max_length=QR_CHARS, description="What the QR code says.")


class QrCode(BaseModel):
    """A picture for a camera."""

    qr: str = Field(description="An SVG document: black on white, with its quiet zone.")


router = APIRouter(
    prefix="/web", tags=["web"], dependencies=[Depends(require_admin), Depends(private)]
)

AddressesDep = Annotated[WebAddresses, Depends(get_web_addresses)]
Id = Annotated[str, Path(max_length=64)]


# ---- browsers


@router.get("/browsers", responses=error_responses(*OWNER_ERRORS))
async def browsers(server: ServerDep, caller: CallerDep) -> KnownBrowsers:
    """List the browsers that were let in."""
    access = server.access
    return KnownBrowsers(
        browsers=[_known_browser(access, one, caller.browser_id) for one in access.browsers.all()]
    )


@router.patch(
    "/browsers/{browser_id}",
    openapi_extra=documented(BrowserChange),
    responses=error_responses(*OWNER_BODY_ERRORS, BrowserUnknownError),
)
async def describe(
    browser_id: Id,
    body: Annotated[BrowserChange, Depends(json_body(BrowserChange))],
    server: ServerDep,
    caller: CallerDep,
) -> KnownBrowser:
    """Give a browser another name or user. With another user its open connections end."""
    changed = await server.access.browsers.describe(browser_id, name=body.name, user=body.user)
    return _known_browser(server.access, changed, caller.browser_id)


@router.delete(
    "/browsers/{browser_id}", responses=error_responses(*OWNER_ERRORS, BrowserUnknownError)
)
async def revoke(browser_id: Id, server: ServerDep, caller: CallerDep) -> KnownBrowser:
    """End a browser's session, and its open connections, at once."""
    ended = await server.access.browsers.revoke(browser_id)
    return _known_browser(server.access, ended, caller.browser_id)


def _known_browser(access: Access, browser: Browser, current: str | None) -> KnownBrowser:
    return KnownBrowser.of(
        browser,
        id=browser.browser_id,
        role=_role(browser),
        expires_at=access.browsers.expires_at(browser),
        current=browser.browser_id == current,
    )


# ---- invitations


@router.get("/invitations", responses=error_responses(*OWNER_ERRORS))
async def invitations(server: ServerDep, addresses: AddressesDep) -> KnownInvitations:
    """List the invitations that can be used."""
    found = server.access.browsers.invitations()
    return KnownInvitations(
        invitations=[await _known_invitation(invitation, addresses) for invitation in found]
    )


@router.post(
    "/invitations",
    openapi_extra=documented(InvitationRequest),
    responses=error_responses(*OWNER_BODY_ERRORS),
)
async def invite(
    body: Annotated[InvitationRequest, Depends(json_body(InvitationRequest))],
    server: ServerDep,
    addresses: AddressesDep,
) -> KnownInvitation:
    """Make a code with which one browser is let in, once."""
    made = await server.access.browsers.invite(
        body.user, owner=body.role == "owner", name=body.name
    )
    return await _known_invitation(made, addresses)


@router.delete(
    "/invitations/{invitation_id}",
    responses=error_responses(*OWNER_ERRORS, InvitationUnknownError),
)
async def withdraw(
    invitation_id: Id, server: ServerDep, addresses: AddressesDep
) -> KnownInvitation:
    """End an invitation before it is used."""
    return await _known_invitation(await server.access.browsers.withdraw(invitation_id), addresses)


async def _known_invitation(invitation: Invitation, addresses: WebAddresses) -> KnownInvitation:
    url = f"{addresses.best}#/pair/{invitation.code}" if addresses.best else None
    return KnownInvitation.of(
        invitation,
        id=invitation.invitation_id,
        role=_role(invitation),
        url=url,
        qr=None if url is None else await asyncio.to_thread(qr_code, url),
    )


# ---- QR codes


@router.post(
    "/qr", openapi_extra=documented(QrRequest), responses=error_responses(*OWNER_BODY_ERRORS)
)
async def qr(body: Annotated[QrRequest, Depends(json_body(QrRequest))]) -> QrCode:
    """Draw a text as a QR code. Nothing is kept of it."""
    return QrCode(qr=await asyncio.to_thread(qr_code, body.text))


def qr_code(text: str) -> str:
    """Draw a text of at most ``QR_CHARS`` characters as a QR code, an SVG document."""
    drawing = BytesIO()
    # White below it, because a camera reads no code on a dark page. With its namespace, because
    # the page shows it as a picture of its own.
    segno.make(text, error="m", micro=False).save(
        drawing, kind="svg", scale=4, dark="#000", light="#fff", xmldecl=False, nl=False
    )
    return drawing.getvalue().decode()
