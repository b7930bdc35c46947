"""`/web/certificate`: the certificate of Lo-Bug's authority, which a phone or a device trusts once
to reach HTTPS; and its renewal by the owner."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from lobug.errors import CertificateMissingError, TlsError
from lobug.http.dependencies import documented, json_body, require_admin
from lobug.http.devices.admin import OWNER_BODY_ERRORS
from lobug.http.problems import error_responses
from lobug.tls.certificates import der_of, fingerprint, names_of, pem_of
from lobug.tls.service import Tls

FILE_NAME = "lobug-ca.crt"

router = APIRouter(prefix="/web/certificate", tags=["certificate"])


class RenewalRequest(BaseModel):
    """What to make anew."""

    model_config = ConfigDict(extra="forbid")

    authority: bool = Field(
        False,
        description="Make another authority as well, which every phone and device has to trust"
        " anew.",
    )


class ShownCertificate(BaseModel):
    """What HTTPS shows."""

    names: list[str] = Field(description="The host names and addresses that it is valid for.")
    valid_until: datetime = Field(description="When it expires; it is renewed before.")
    fingerprint: str = Field(
        description="SHA-256 of the certificate that is to be trusted, as `AB:CD:...`."
    )


@router.get(
    "",
    response_class=Response,
    responses={
        200: {
            "description": "An X.509 certificate.",
            "content": {"application/x-x509-ca-cert": {}, "text/plain": {}},
        },
        **error_responses(CertificateMissingError),
    },
)
async def certificate(
    request: Request,
    form: Annotated[
        Literal["der", "pem"],
        Query(
            alias="format",
            description="`der`: a file that phones and computers install. `pem`: the same as text,"
            " to be pasted into a device's settings.",
        ),
    ] = "der",
) -> Response:
    """Give the certificate of the authority that Lo-Bug made for HTTPS. For everybody.

    Compare its fingerprint with the one that the server shows before you trust it.
    """
    authority = _tls(request).authority
    if form == "pem":
        return Response(
            pem_of(authority), media_type="text/plain", headers={"Cache-Control": "no-store"}
        )
    return Response(
        der_of(authority),
        media_type="application/x-x509-ca-cert",
        headers={
            "Content-Disposition": f'attachment; filename="{FILE_NAME}"',
            "Cache-Control": "no-store",
        },
    )


@router.post(
    "/renew",
    dependencies=[Depends(require_admin)],
    openapi_extra=documented(RenewalRequest),
    responses=error_responses(*OWNER_BODY_ERRORS, TlsError),
)
async def renew(
    request: Request, wanted: Annotated[RenewalRequest, Depends(json_body(RenewalRequest))]
) -> ShownCertificate:
    """Make another certificate for HTTPS now. New connections get it. For the owner."""
    shown = await _tls(request).renew("authority" if wanted.authority else "server")
    return ShownCertificate(
        names=names_of(shown.certificate),
        valid_until=shown.certificate.not_valid_after_utc,
        fingerprint=fingerprint(shown.trusted),
    )


def _tls(request: Request) -> Tls:
    tls: Tls = request.app.state.tls
    return tls
