"""The server object: all parts of one running Lo-Bug, without HTTP."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Protocol

from lobug import __version__
from lobug.access.service import FILE as ACCESS_FILE
from lobug.access.service import Access
from lobug.agenda.ringing import QuietHours, RingLimits
from lobug.agenda.schedule import Schedule
from lobug.agenda.service import FILE as AGENDA_FILE
from lobug.agenda.service import Agenda
from lobug.concurrency import log_failure
from lobug.conversation.prompt import Persona, make_persona
from lobug.conversation.recognition import MemoryCommands
from lobug.conversation.recognition import choice_beginning as memory_choice_beginning
from lobug.conversation.registry import Conversations, is_lane_of
from lobug.conversation.sensors import SensorReading
from lobug.devices.announcements import Announcements
from lobug.devices.connected_devices import ConnectedDevices, DevicesElsewhere
from lobug.devices.report import Report
from lobug.devices.status import DeviceStatuses
from lobug.devices.unasked_speech import DeviceVoices
from lobug.devices.waiting_devices import WaitingDevices
from lobug.engines.base import (
    AdjustableVoice,
    Engine,
    Engines,
    EngineStatus,
    KnowsNames,
    SelectableVoice,
    Tool,
)
from lobug.engines.integrity import ModelIntegrity
from lobug.errors import (
    AccessUnavailableError,
    DeviceUnknownError,
    EngineError,
    EngineUnavailableError,
    StorageError,
    StorageHeldError,
)
from lobug.house.service import House, HouseState
from lobug.live import sources
from lobug.live.heard import HeardLog, HeardUtterance
from lobug.live.hub import Hub, WasHeard
from lobug.memory.model import ConversationKey, MemoryStats
from lobug.memory.service import Memory
from lobug.ota.library import FirmwareLibrary
from lobug.ota.offers import FirmwareOffers
from lobug.ota.signing import UpdateKey
from lobug.people_sharing import PeopleSharing
from lobug.priority import TurnPriority
from lobug.settings import Settings
from lobug.settings.time_zones import time_in_zone
from lobug.skills.alerts import AlertSkill
from lobug.skills.clock import Clock
from lobug.skills.lists import ListSkill
from lobug.skills.mcp_servers import McpServers
from lobug.skills.notes import NoteSkill
from lobug.skills.registry import Skills
from lobug.skills.speaking import Speaking
from lobug.skills.sums import Sums
from lobug.skills.weather import Weather
from lobug.storage.lease_follower import LeaseFollower
from lobug.telemetry.telemetry import Telemetry
from lobug.turn.prefetch import PromptPrefetcher
from lobug.turn.runner import TurnRunner
from lobug.turn.slots import waiting_quota
from lobug.turn.tool_use import offer_tools
from lobug.webhooks.service import Webhooks

log = logging.getLogger(__name__)

MEMORY_RETRY_S = 5.0
"""Seconds between two checks of the memory: for changes by other programs, or for its recovery."""


class OllamaWatch(Protocol):
    """Watches the Ollama servers. ``start`` and ``close`` never raise."""

    @property
    def reachable(self) -> bool:
        """Whether any of them answered the last check."""

    async def start(self) -> None:
        """Begin to watch."""

    async def close(self) -> None:
        """Stop."""


@dataclass(frozen=True, slots=True)
class HealthReport:
    """The last known state of the server, for ``/health``."""

    can_talk: bool
    ollama: bool
    timestamp: float
    """Seconds since the epoch."""
    version: str
    uptime_s: float
    degraded: Sequence[str]
    engines: Mapping[str, EngineStatus]
    choices: Mapping[str, str]
    memory: MemoryStats
    turns: int
    house: HouseState | None = None
    """Of Home Assistant; None: there is none."""
    stands_by: bool = False
    """Whether another server has the database, and this one stands ready."""


@dataclass(slots=True)
class LobugServer:
    """One Lo-Bug: its engines, memory, conversations, turns and devices."""

    settings: Settings
    """Those in effect; ``apply`` replaces them."""
    engines: Engines
    memory: Memory
    priority: TurnPriority
    choices: Mapping[str, str] = field(default_factory=dict)
    """Why each engine was chosen, by its job."""
    ollama: OllamaWatch | None = None
    """Watches Ollama, whether it is used or not; None: nothing does."""
    clock: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    """Seconds since the epoch, for devices' codes and for dates in replies."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    """Waits by ``clock``, for alerts."""
    memory_retry_s: float = MEMORY_RETRY_S
    instance: str = ""
    """Identifies this run of this server; another one after each restart."""
    https_fault: Callable[[], str | None] = lambda: None
    """Why HTTPS does not work as it should, a sentence; None: it does, or is off."""
    wyoming_fault: Callable[[], str | None] = lambda: None
    """The same for the Wyoming door."""
    integrity: ModelIntegrity = field(init=False)
    """Checks whether the models' files are those of the catalog."""
    telemetry: Telemetry = field(init=False)
    hub: Hub = field(init=False)
    """Tells pages what happens."""
    heard: HeardLog = field(init=False)
    """The last utterances, in main memory."""
    webhooks: Webhooks = field(init=False)
    """Tells automations of the owner what happens."""
    access: Access = field(init=False)
    """Decides who may talk."""
    agenda: Agenda = field(init=False)
    """What was promised: alerts, lists, notes."""
    schedule: Schedule = field(init=False)
    """Runs alerts and waiting speech."""
    announcements: Announcements = field(init=False)
    skills: Skills = field(init=False)
    """What it can do for somebody."""
    mcp_servers: McpServers = field(init=False)
    """Servers of tools that the owner configured."""
    house: House | None = field(init=False, default=None)
    """Home Assistant; None: the settings name none."""
    firmware: FirmwareOffers = field(init=False)
    """Offers newer firmware to devices."""
    connections: ConnectedDevices = field(init=False)
    """The devices that are connected."""
    devices_elsewhere: DevicesElsewhere = field(init=False)
    """Those that are connected to other servers."""
    waiting_devices: WaitingDevices = field(init=False)
    """The connections of devices that the owner has not approved yet."""
    device_statuses: DeviceStatuses = field(init=False)
    """What devices say of themselves."""
    conversations: Conversations = field(init=False)
    turns: TurnRunner = field(init=False)
    prefetcher: PromptPrefetcher = field(init=False)
    _alert_skill: AlertSkill = field(init=False)
    _weather: Weather = field(init=False)
    _reading: asyncio.Task[None] | None = field(init=False, default=None)
    """Reads what prompts begin with, ahead of the first turn that needs it."""
    _stops: bool = field(init=False, default=False)
    """Whether it is about to stop."""
    _lease_follower: LeaseFollower | None = field(init=False, default=None)
    """None: the database needs no lease."""
    _gives_up: bool = field(init=False, default=False)
    """Whether it is closing what others have taken over."""
    _look_again: asyncio.Event = field(init=False, default_factory=asyncio.Event)
    """Set when what is kept should be looked at at once."""
    _started_at: float = field(init=False)
    _tasks: set[asyncio.Task[None]] = field(init=False, default_factory=set)

    def __post_init__(self) -> None:
        self.integrity = ModelIntegrity(
            self.engines.all(), self.settings.models_dir, lambda: self.priority.busy
        )
        self.telemetry = Telemetry(self.settings.telemetry, self.clock)
        self.hub = Hub(self.clock)
        self.heard = HeardLog(
            self.settings.telemetry.heard_kept,
            self.wall,
            self._was_heard,
        )
        place = self.memory.kept_in
        self.access = Access(
            self.settings.access, self.settings.data_dir / ACCESS_FILE, clock=self.wall, place=place
        )
        self.agenda = Agenda(
            self.settings.skills,
            self.settings.data_dir / AGENDA_FILE,
            time_zone=self.settings.conversation.time_zone,
            clock=self.wall,
            place=place,
        )
        self.webhooks = Webhooks(
            self.settings.webhooks,
            self.settings.data_dir,
            wall=self.wall,
            clock=self.clock,
            name_of=self._name_of_device,
            counted=self.telemetry.metrics.webhooks_ended,
            place=place,
        )
        self.mcp_servers = McpServers(self.settings.skills.mcp_servers)
        if self.settings.home.url:
            self.house = House(
                self.settings.home, clock=self.clock, learned_names=self._learned_names
            )
        self._alert_skill = AlertSkill(
            self.agenda.alerts, day_hour=self.settings.skills.reminder_hour
        )
        self._weather = Weather(self.settings.skills)
        self.skills = Skills(
            (
                self._alert_skill,
                ListSkill(self.agenda.lists, self.settings.memory.household),
                NoteSkill(self.agenda.notes),
                Clock(),
                Sums(),
                self._weather,
                Speaking(
                    self.memory,
                    self.engines.tts,
                    self.agenda.speeds,
                    lambda: self.skills.available(),  # noqa: PLW0108 - not made yet
                ),
            ),
            self.engines.chat,
            off=self.settings.skills.off,
            clock=self.clock,
            now=self.now,
        )
        library = FirmwareLibrary(
            self.settings.firmware_dir, max_bytes=self.settings.firmware.max_image_bytes
        )
        self.firmware = FirmwareOffers(library, UpdateKey(self.settings.update_key_path))
        self.connections = ConnectedDevices(self.settings.streaming, self.engines.stt)
        self.devices_elsewhere = DevicesElsewhere(
            place.people,
            self.connections,
            self.access.devices,
            lambda: self.settings.conversation.users,
        )
        self.waiting_devices = WaitingDevices(self.settings, self.engines.tts)
        self.access.approved = self.waiting_devices.approved
        self.device_statuses = DeviceStatuses(
            self.connections.sessions,
            self.clock,
            partial(self.hub.publish, "devices"),
            store=self.access.devices,
            wall=self.wall,
            reported=self.telemetry.metrics.device_reported,
        )
        self.schedule = Schedule(
            self.agenda.alerts,
            self.agenda.waiting,
            DeviceVoices(
                self.connections,
                self.devices_elsewhere,
                self.engines.tts,
                self.agenda.speeds.of,
            ),
            RingLimits(self.settings.skills.ring_seconds),
            quiet_hours=QuietHours.of(self.settings.skills.quiet_hours),
            wall=self.wall,
            clock=self.clock,
            now=self.now,
            sleep=self.sleep,
            people=place.people,
        )
        self.announcements = Announcements(
            self.connections,
            self.devices_elsewhere,
            self.schedule,
            self.agenda.waiting,
            self.engines.tts,
            self.agenda.speeds.of,
            waiting_quota(self.settings.limits),
            wall=self.wall,
        )
        self.connections.changed = partial(self.hub.publish, "devices")
        self.schedule.began = self.webhooks.alert_began
        if place.lease is not None:
            self._lease_follower = LeaseFollower(
                place.lease,
                give_up=self._give_up,
                look_again=self._look_soon,
                send_away=self.connections.send_away,
            )
        sources.watch(self.hub, self.access, self.agenda, self.memory, self.schedule)
        self.access.when_revoked(self.connections.close_revoked)
        self.access.connected = self.connections.connected
        self.conversations = Conversations(self.settings)
        sharing = PeopleSharing(
            place.people,
            self.memory,
            self.conversations,
            self.schedule,
            self.connections,
            self.access,
            self.webhooks,
            self.hub,
            forget_talk=self._forget_talk,
            look_soon=self._look_again.set,
            in_background=self._in_background,
        )
        self.connections.arrived = sharing.device_arrived
        self.connections.presence = sharing.presence_changed
        self.connections.came_again = sharing.device_came_again
        sharing.begin()
        persona = persona_of(self.settings)
        self.turns = TurnRunner(
            self.settings,
            self.engines,
            self.memory,
            self.conversations,
            self.priority,
            persona,
            self.clock,
            self._commands(),
            sources.ObservedTurns(self.telemetry, self.heard, self.hub, self.webhooks),
            self.skills,
            self.mcp_servers,
            self.agenda.waiting,
            self.wall,
            self.agenda.speeds.of,
            self.house,
        )
        self.prefetcher = PromptPrefetcher(
            self.settings,
            self.engines.chat,
            self.memory,
            self.conversations,
            self.priority,
            persona,
            self.clock,
            constants=lambda: (self.skills.choice_beginning, memory_choice_beginning()),
        )
        self._started_at = self.clock()

    def apply(self, settings: Settings) -> None:
        """Put changed settings into effect, in one step of the event loop: for whatever begins from
        now on, such as the next turn. Every setting that is marked ``Changeable`` is passed on
        here, or read from ``settings`` when it is used.
        """
        before, self.settings = self.settings, settings
        self.access.use(settings.access)
        self.memory.use(settings.memory)
        if isinstance(self.engines.tts, AdjustableVoice):
            self.engines.tts.set_speed(settings.tts.speed)
        if isinstance(self.engines.tts, SelectableVoice):
            self.engines.tts.set_voice(settings.tts.server_voice)
        skills = settings.skills
        self._alert_skill.use_day_hour(skills.reminder_hour)
        self._weather.use(skills)
        if skills.off != before.skills.off:
            self.skills.switch_off(skills.off)
        self.schedule.use(RingLimits(skills.ring_seconds), QuietHours.of(skills.quiet_hours))
        persona = persona_of(settings)
        self.turns.use(settings, persona)
        if persona != persona_of(before):
            self.prefetcher.use(persona)
            self.conversations.prefixes_changed()
        if persona != persona_of(before) or skills.off != before.skills.off:
            if self._reading is not None:
                self._reading.cancel()
            self._reading = self._in_background(self.prefetcher.after_start())
        if settings.memory != before.memory:
            self._in_background(self._reschedule_memory())

    async def _reschedule_memory(self) -> None:
        try:
            await self.memory.reschedule()
        except StorageError as error:  # once it can be opened, the work is scheduled anyway
            log.warning("memory: %s", error)

    def now(self, _user: str) -> datetime:
        """Date and time where a user is."""
        return time_in_zone(self.wall(), self.settings.conversation.time_zone)

    def _learned_names(self, names: Sequence[str]) -> None:
        """Let speech-to-text prefer the names of rooms and things."""
        if isinstance(self.engines.stt, KnowsNames):
            self.engines.stt.expect_names(names)

    def _name_of_device(self, device_id: str) -> str:
        """What the owner calls a device; empty: nothing, or it is not known."""
        try:
            return self.access.devices.get(device_id).name
        except (AccessUnavailableError, DeviceUnknownError):
            return ""

    def _was_heard(self, utterance: HeardUtterance) -> None:
        self.hub.notify(WasHeard(utterance))
        if utterance.device and utterance.text:
            self.device_statuses.note(utterance.device, last_heard_at=utterance.at)

    def _commands(self) -> MemoryCommands:
        self.memory.on_erasure(self._forget)
        self.memory.before_user_purge(self.agenda.delete_user)
        self.memory.before_user_purge(self.webhooks.delete_user)
        self.memory.before_erasure(self.webhooks.erase)
        self.memory.erasures.subscribe(self.telemetry.metrics.memory_erased)
        return MemoryCommands(
            self.memory,
            self.engines.chat,
            self.settings.memory.household,
            clock=self.clock,
            wall=self.wall,
        )

    def _forget(self, user: str | None) -> None:
        """Drop a user's words (None: all users') that are held outside of the memory."""
        self.conversations.forget(user)
        self.heard.forget(user)
        self.hub.forget(user)
        self.webhooks.forget(user)
        self._forget_talk(user)

    def _forget_talk(self, user: str | None) -> None:
        """Drop what models and the house hold of a user's talk (None: of everybody's)."""
        if self.house is not None:
            self.house.forget(user)
        for chat in filter(None, (self.engines.chat, self.engines.consolidation)):
            chat.forget(lambda lane: is_lane_of(lane, user))

    async def start(self) -> None:
        """Load the engines and open what is kept, all at once but for the memory, which comes after
        the engines.

        Failures are reported by ``/health``, not raised, because a device must always get an answer
        that it can show.
        """
        if self.ollama is not None:
            await self.ollama.start()
        self.prefetcher.before_start()
        engines = asyncio.ensure_future(self._start_engines())
        if self._lease_follower is not None:
            # Not before the models are there: meanwhile another server may answer.
            await engines
            await self._lease_follower.start()
            await self.memory.kept_in.people.start()
        # At once: in a PostgreSQL that is away each waits for it.
        await asyncio.gather(
            self.access.start(),
            self._open_memory_after(engines),
            _open("agenda", self.agenda.start()),
            _open("webhooks", self.webhooks.start()),
        )
        self.mcp_servers.start()
        if self.house is not None:
            self.house.start()
        self._in_background(asyncio.to_thread(self._load_language))
        self._in_background(self._watch_memory())
        self._in_background(self.schedule.run())
        self._in_background(sources.watch_health(self.hub, self._health_shown))
        self._in_background(self.integrity.watch())
        self._in_background(self.telemetry.watch_loop())
        self._reading = self._in_background(self.prefetcher.after_start())

    def _load_language(self) -> None:
        """Load what else the first turn would wait for."""
        self.skills.load()
        self.memory.claims.reader.load()

    async def _start_engines(self) -> None:
        await asyncio.gather(*(_start(job, e) for job, e in self.engines.all().items()))

    async def _open_memory_after(self, engines: asyncio.Future[None]) -> None:
        await engines
        await _open("memory", self.memory.start())

    async def _give_up(self) -> None:
        """Close what is kept in the database and drop what was read from it: another server has it.
        Raises StorageError."""
        self.hub.close()  # pages connect again
        self._gives_up = True
        try:
            await self._give_up_all()
        finally:
            self._gives_up = False

    async def _give_up_all(self) -> None:
        await self.schedule.give_up()
        parts = (self.memory, self.agenda, self.webhooks, self.access)
        found = await asyncio.gather(*(one.give_up() for one in parts), return_exceptions=True)
        await self.memory.kept_in.people.reset()
        for error in found:
            if isinstance(error, BaseException):
                raise error

    def _look_soon(self) -> None:
        self._look_again.set()
        self.access.look_again()

    async def _watch_memory(self) -> None:
        """Notice changes of other programs, and retry what failed until it works again, so that no
        restart is needed."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self.memory_retry_s):
                    await self._look_again.wait()
            self._look_again.clear()
            if self._gives_up:
                continue  # until what began before has ended: it must write nothing any more
            works = self.memory.is_open and self.memory.fault() is None
            try:
                await (self.memory.refresh() if works else self.memory.check())
            except StorageError as error:
                log.debug("memory: %s", error)
            if not works and self.memory.fault() is None:
                log.info("the memory works again")
            worked = self.agenda.fault is None
            try:
                await self.agenda.refresh()
            except StorageError as error:
                log.debug("agenda: %s", error)
            if not worked and self.agenda.fault is None:
                log.info("the agenda works again")
            try:
                await self.webhooks.refresh()
            except StorageError as error:
                log.debug("webhooks: %s", error)

    async def say_farewell(self) -> None:
        """Let what is being said with devices come to its end, and send them away one by one: the
        server is about to stop. From now on it is not ready."""
        self._stops = True
        await self.connections.say_farewell()

    async def close(self) -> None:
        """Stop all tasks and close connections, memory, access and engines."""
        self.hub.close()
        await self.device_statuses.close()
        await self.waiting_devices.close()
        await self.connections.close()
        await self.mcp_servers.close()
        if self.house is not None:
            await self.house.close()
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        try:
            await self.memory.close()
        except StorageError as error:
            log.warning("memory did not close cleanly: %s", error)
        try:
            await self.agenda.close()
        except StorageError as error:
            log.warning("the agenda did not close cleanly: %s", error)
        try:
            await self.webhooks.close()
        except StorageError as error:
            log.warning("webhooks did not close cleanly: %s", error)
        try:
            await self.access.close()
        except StorageError as error:
            log.warning("devices and tokens did not close cleanly: %s", error)
        await self.memory.kept_in.people.close()
        if self._lease_follower is not None:
            await self._lease_follower.close()
        for job, engine in self.engines.all().items():
            try:
                await engine.close()
            except EngineError as error:
                log.warning("%s did not close cleanly: %s", job, error)
        if self.ollama is not None:
            await self.ollama.close()

    async def after_turn(self, conversation_key: ConversationKey) -> None:
        """Begin the background work that follows a turn, once its answer has been sent."""
        self.memory.wake()
        self._in_background(self.prefetcher.after_turn(conversation_key))

    def offer_tools(
        self, conversation_key: ConversationKey, tools: Sequence[Tool], *, again: bool = False
    ) -> None:
        """Put a device's tools into its conversation's prompt and let the model read them ahead.
        ``again``: only if the prompt has none, because the conversation was evicted since."""
        if not again:
            # Only now can the device be asked how it is: whoever looks at the devices does.
            self.hub.publish("devices")
        conversation = self.conversations.get(conversation_key)
        if not again or not conversation.offered.messages:
            offer_tools(conversation, tools, self.settings.chat.tool_prompt_tokens)
            self._in_background(self.prefetcher.after_turn(conversation_key))

    def take_sensors(self, conversation_key: ConversationKey, reading: SensorReading) -> None:
        """Keep a sensor reading for the conversation's prompts."""
        self.conversations.get(conversation_key).sensors.update(reading, self.clock())

    def take_report(self, device_id: str, report: Report) -> None:
        """Keep what a device says of its own condition."""
        self.device_statuses.take_report(device_id, report)

    def _in_background(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(log_failure)
        return task

    def health(self) -> HealthReport:
        """The last known state. Does no I/O."""
        states = {job: self._status(job, e) for job, e in self.engines.all().items()}
        lease_fault = self.memory.kept_in.fault
        fault = lease_fault or self.memory.fault()
        stands_by = isinstance(lease_fault, StorageHeldError)
        access_fault = self.access.fault()
        degraded = [f"{'database' if lease_fault else 'memory'}: {fault}"] if fault else []
        if access_fault is not None and not stands_by:
            degraded.append(f"access: only this computer may talk, or nobody new: {access_fault}")
        if self.agenda.fault is not None and not stands_by:
            degraded.append(f"agenda: {self.agenda.fault}")
        https_fault = self.https_fault()
        if https_fault is not None:
            degraded.append(f"https: {https_fault}")
        webhook_fault = self.webhooks.fault()
        if webhook_fault is not None and not stands_by:
            degraded.append(f"webhooks: {webhook_fault}")
        wyoming_fault = self.wyoming_fault()
        if wyoming_fault is not None:
            degraded.append(f"wyoming: {wyoming_fault}")
        if self.memory.summary_fault():
            degraded.append(f"summaries: {self.memory.summary_fault()}")
        house = self.house.state() if self.house is not None else None
        if house is not None and house.fault:
            degraded.append(f"home: {house.fault}")
        degraded += [
            f"{job}: {state.reason or 'not ready'}"
            for job, state in states.items()
            if state.degraded or not state.ready
        ]
        return HealthReport(
            can_talk=states["chat"].ready and fault is None,
            ollama=self.ollama is not None and self.ollama.reachable,
            timestamp=self.wall(),
            version=__version__,
            uptime_s=self.clock() - self._started_at,
            degraded=degraded,
            engines=states,
            choices=self.choices,
            memory=self.memory.stats(),
            turns=self.priority.turns,
            house=house,
            stands_by=stands_by,
        )

    def require_ready(self) -> None:
        """Raises StorageError or EngineUnavailableError, without details, unless this server can be
        talked to. Does no I/O. A write that failed is no reason: no other server would do better.
        """
        fault = self.memory.kept_in.fault
        if isinstance(fault, StorageHeldError):
            raise StorageHeldError("another server has the database")
        opened = (self.memory.is_open, self.agenda.database.is_open, self.access.is_open)
        if fault is not None or not all(opened):
            raise StorageError("the database cannot be used")
        if self._stops or not self.engines.chat.status().ready:
            raise EngineUnavailableError("chat", "it is not ready, or about to stop")

    def _health_shown(self) -> object:
        """What a page shows of the state of health, to be compared."""
        report = self.health()
        engines = {job: (one.ready, one.degraded) for job, one in report.engines.items()}
        return report.can_talk, report.ollama, tuple(report.degraded), engines

    def _status(self, job: str, engine: Engine) -> EngineStatus:
        status = engine.status()
        return replace(status, details={**status.details, **self.integrity.details(job)})


def persona_of(settings: Settings) -> Persona:
    """The beginning of every prompt."""
    return make_persona(
        settings.conversation.persona,
        ignore_and_react=settings.conversation.ignore_and_react,
        may_store=settings.memory.lets_model_store,
    )


async def _open(room: str, opening: Awaitable[None]) -> None:
    try:
        await opening
    except StorageHeldError as error:
        log.debug("%s: %s", room, error)  # the lease has said it
    except StorageError as error:
        log.error("%s: %s", room, error)  # noqa: TRY400 - a full disk needs no traceback


async def _start(job: str, engine: Engine) -> None:
    try:
        await engine.start()
    except EngineError as error:
        log.error("%s: %s", job, error)  # noqa: TRY400 - a missing model needs no traceback
