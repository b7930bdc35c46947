"""Setting a server up: found by itself or by its address, then a token."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from typing import Any

import probatio as vol
from homeassistant.config_entries import (
    SOURCE_RECONFIGURE,
    SOURCE_USER,
    ConfigEntry,
    ConfigFlow,
    ConfigFlowResult,
    ConfigSubentryFlow,
    OptionsFlow,
    SubentryFlowResult,
)
from homeassistant.const import CONF_NAME, CONF_TOKEN, CONF_URL
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.selector import (
    BooleanSelector,
    DeviceSelector,
    DeviceSelectorConfig,
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
    TextSelector,
    TextSelectorConfig,
    TextSelectorType,
)
from homeassistant.helpers.service_info.zeroconf import ZeroconfServiceInfo

from .api import (
    AccessRefused,
    LobugClient,
    LobugError,
    Refused,
    checked_url,
    trust_in,
    url_of,
)
from .const import (
    CONF_AUTHORITY,
    CONF_SATELLITES,
    CONF_USER,
    CONF_WORDS,
    DOMAIN,
    LOGGER,
    PERSON,
)
from .coordinator import OWNER_ONLY
from .probe import Found, find

URL = TextSelector(TextSelectorConfig(type=TextSelectorType.URL))
SECRET = TextSelector(TextSelectorConfig(type=TextSelectorType.PASSWORD))

TOKEN_SCHEMA = vol.Schema({vol.Required(CONF_TOKEN): SECRET})


async def token_fault(
    hass: HomeAssistant, url: str, authority: str | None, token: str
) -> str | None:
    """Try a token; returns the key of what is wrong with it, or None."""
    if not token.isprintable() or not token.isascii():
        return "invalid_auth"
    try:
        trust = await hass.async_add_executor_job(trust_in, authority) if authority else True
        await LobugClient(async_get_clientsession(hass), url, token, trust).devices()
    except AccessRefused:
        return "invalid_auth"
    except Refused as error:
        if error.code == OWNER_ONLY:
            return None  # a person's token will do; devices are not shown then
        return "wrong_scope" if error.code == "token_scope" else "cannot_connect"
    except (LobugError, ssl.SSLError, ValueError):
        return "cannot_connect"
    return None


class LobugConfigFlow(ConfigFlow, domain=DOMAIN):
    """Sets up one server."""

    VERSION = 1

    def __init__(self) -> None:
        self._found: Found | None = None
        self._name = "Lo-Bug"

    @staticmethod
    @callback
    def async_get_options_flow(config_entry: ConfigEntry) -> OptionsFlow:
        """What can be chosen about a server."""
        return LobugOptionsFlow()

    @classmethod
    @callback
    def async_get_supported_subentry_types(
        cls, config_entry: ConfigEntry
    ) -> dict[str, type[ConfigSubentryFlow]]:
        """A server has persons."""
        return {PERSON: PersonFlow}

    async def async_step_user(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Take the address of a server."""
        errors: dict[str, str] = {}
        if user_input is not None:
            found = await self._reach(user_input[CONF_URL], errors)
            if found is not None:
                await self.async_set_unique_id(found.fingerprint)
                self._abort_if_unique_id_configured()
                self._async_abort_entries_match({CONF_URL: found.url})
                return await self.async_step_token()
        return self.async_show_form(
            step_id="user",
            data_schema=self.add_suggested_values_to_schema(
                vol.Schema({vol.Required(CONF_URL): URL}), user_input
            ),
            errors=errors,
        )

    async def async_step_zeroconf(self, discovery_info: ZeroconfServiceInfo) -> ConfigFlowResult:
        """A server announced itself. The announcement may be forged; so the address of a server
        that is set up already changes only to where its own certificate vouches for it."""
        scheme = "https" if discovery_info.properties.get("https") == "1" else "http"
        url = url_of(scheme, discovery_info.host, discovery_info.port)
        self._async_abort_entries_match({CONF_URL: url})
        found = await self._reach(url, {})
        if found is None:
            return self.async_abort(reason="cannot_connect")
        self._name = _short(discovery_info.properties.get("name")) or self._name
        self.context["title_placeholders"] = {"name": self._name}
        self._async_abort_entries_match({CONF_URL: found.url})
        if found.fingerprint is None:
            await self._async_handle_discovery_without_unique_id()
        else:
            entry = await self.async_set_unique_id(found.fingerprint)
            trusted = entry is not None and entry.data.get(CONF_AUTHORITY) == found.authority
            self._abort_if_unique_id_configured(
                updates=_address(found) if trusted and found.authority else None
            )
        return await self.async_step_token()

    async def async_step_token(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Take a token for the server that was found."""
        if (found := self._found) is None:
            return self.async_abort(reason="cannot_connect")
        errors: dict[str, str] = {}
        if user_input is not None:
            token = user_input[CONF_TOKEN].strip()
            fault = await token_fault(self.hass, found.url, found.authority, token)
            if fault is None:
                return self.async_create_entry(
                    title=self._name, data={**_address(found), CONF_TOKEN: token}
                )
            errors["base"] = fault
        return self.async_show_form(
            step_id="token" if found.url.startswith("https://") else "token_unencrypted",
            data_schema=TOKEN_SCHEMA,
            errors=errors,
            description_placeholders={
                "url": found.url,
                "fingerprint": (found.authority and found.fingerprint) or "-",
            },
        )

    async def async_step_token_unencrypted(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """The same, where the token would go over the network unencrypted."""
        return await self.async_step_token(user_input)

    async def async_step_reauth(self, entry_data: Mapping[str, Any]) -> ConfigFlowResult:
        """The token is not accepted any more."""
        return await self.async_step_reauth_confirm()

    async def async_step_reauth_confirm(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Take another token."""
        entry = self._get_reauth_entry()
        errors: dict[str, str] = {}
        if user_input is not None:
            token = user_input[CONF_TOKEN].strip()
            fault = await token_fault(
                self.hass, entry.data[CONF_URL], entry.data.get(CONF_AUTHORITY), token
            )
            if fault is None:
                return self.async_update_and_abort(
                    entry, data_updates={CONF_TOKEN: token}, reason="reauth_successful"
                )
            errors["base"] = fault
        return self.async_show_form(
            step_id="reauth_confirm",
            data_schema=TOKEN_SCHEMA,
            errors=errors,
            description_placeholders={"url": entry.data[CONF_URL]},
        )

    async def async_step_reconfigure(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Take another address, or another authority, of a server, and a token for it."""
        entry = self._get_reconfigure_entry()
        errors: dict[str, str] = {}
        if user_input is not None:
            found = await self._reach(user_input[CONF_URL], errors)
            if found is not None:
                return await self.async_step_reconfigure_token()
        return self.async_show_form(
            step_id="reconfigure",
            data_schema=self.add_suggested_values_to_schema(
                vol.Schema({vol.Required(CONF_URL): URL}), user_input or entry.data
            ),
            errors=errors,
        )

    async def async_step_reconfigure_token(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Take the token. It is asked for anew, because the address may be somebody else's."""
        if (found := self._found) is None:
            return self.async_abort(reason="cannot_connect")
        entry = self._get_reconfigure_entry()
        errors: dict[str, str] = {}
        if user_input is not None:
            token = user_input[CONF_TOKEN].strip()
            fault = await token_fault(self.hass, found.url, found.authority, token)
            if fault is None:
                await self.async_set_unique_id(found.fingerprint)
                if self._is_anothers(entry):
                    return self.async_abort(reason="already_configured")
                return self.async_update_and_abort(
                    entry,
                    unique_id=found.fingerprint,
                    data={**_address(found), CONF_TOKEN: token},
                    reason="reconfigure_successful",
                )
            errors["base"] = fault
        return self.async_show_form(
            step_id="reconfigure_token",
            data_schema=TOKEN_SCHEMA,
            errors=errors,
            description_placeholders={
                "url": found.url,
                "fingerprint": (found.authority and found.fingerprint) or "-",
            },
        )

    def _is_anothers(self, entry: ConfigEntry) -> bool:
        return self.unique_id is not None and any(
            one.unique_id == self.unique_id
            for one in self._async_current_entries()
            if one.entry_id != entry.entry_id
        )

    async def _reach(self, address: str, errors: dict[str, str]) -> Found | None:
        """Find the server at an address; None: it is not there, and ``errors`` says so."""
        try:
            url = checked_url(address)
        except ValueError:
            errors[CONF_URL] = "invalid_url"
            return None
        try:
            self._found = await find(async_get_clientsession(self.hass), url)
        except LobugError as error:
            LOGGER.debug("no Lo-Bug could be reached: %s", error)
            errors["base"] = "cannot_connect"
            return None
        return self._found


class LobugOptionsFlow(OptionsFlow):
    """What can be chosen about a server."""

    async def async_step_init(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Choose whether words are shown."""
        if user_input is not None:
            return self.async_create_entry(data=user_input)
        schema = vol.Schema({vol.Required(CONF_WORDS, default=False): BooleanSelector()})
        return self.async_show_form(
            step_id="init",
            data_schema=self.add_suggested_values_to_schema(schema, self.config_entry.options),
        )


class PersonFlow(ConfigSubentryFlow):
    """Says who of Home Assistant talks with which token, so as whom of Lo-Bug."""

    async def async_step_user(self, user_input: dict[str, Any] | None = None) -> SubentryFlowResult:
        """Take a new person, or changes of one."""
        errors: dict[str, str] = {}
        entry = self._get_entry()
        if user_input is not None:
            token = user_input[CONF_TOKEN].strip()
            fault = await token_fault(
                self.hass, entry.data[CONF_URL], entry.data.get(CONF_AUTHORITY), token
            )
            if not user_input.get(CONF_USER) and not user_input.get(CONF_SATELLITES):
                fault = "nobody"
            if fault is None:
                name = user_input[CONF_NAME]
                data = {**user_input, CONF_TOKEN: token}
                if self.source == SOURCE_USER:
                    return self.async_create_entry(title=name, data=data)
                return self.async_update_and_abort(
                    entry,
                    self._get_reconfigure_subentry(),
                    title=name,
                    data=data,
                    reason="reconfigure_successful",
                )
            errors["base"] = fault
        known = user_input
        if known is None and self.source == SOURCE_RECONFIGURE:
            stored = self._get_reconfigure_subentry().data
            known = {key: value for key, value in stored.items() if key != CONF_TOKEN}
        return self.async_show_form(
            step_id="user",
            data_schema=self.add_suggested_values_to_schema(await self._schema(), known),
            errors=errors,
        )

    async_step_reconfigure = async_step_user

    async def _schema(self) -> vol.Schema:
        users = [
            SelectOptionDict(value=user.id, label=user.name or user.id)
            for user in await self.hass.auth.async_get_users()
            if user.is_active and not user.system_generated
        ]
        return vol.Schema(
            {
                vol.Required(CONF_NAME): TextSelector(),
                vol.Required(CONF_TOKEN): SECRET,
                vol.Optional(CONF_USER): SelectSelector(
                    SelectSelectorConfig(options=users, mode=SelectSelectorMode.DROPDOWN)
                ),
                vol.Optional(CONF_SATELLITES): DeviceSelector(DeviceSelectorConfig(multiple=True)),
            }
        )


def _address(found: Found) -> dict[str, Any]:
    """What is stored of where a server is."""
    authority = {} if found.authority is None else {CONF_AUTHORITY: found.authority}
    return {CONF_URL: found.url, **authority}


def _short(name: object) -> str:
    """A name from the network, fit to be shown."""
    text = name if isinstance(name, str) else ""
    return "".join(filter(str.isprintable, text)).strip()[:60]
