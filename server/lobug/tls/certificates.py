"""Certificates: of Lo-Bug's own authority and of its server; what they may name; when the server's
is renewed. Pure, except that keys and serial numbers are random.

All keys are on the curve P-256, which browsers, phones and mbedTLS on devices share.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

DAY = timedelta(days=1)

AUTHORITY_LIFETIME = 3652 * DAY
"""Ten years. After that every phone has to trust a new authority."""

SERVER_LIFETIME = 397 * DAY
"""Apple's devices accept at most 825 days from an authority that a person has added, browsers at
most 398 from public ones."""

RENEW_BEFORE = 30 * DAY
"""A server's certificate is renewed when it has less than this left."""

BACKDATED = DAY
"""How long before now a new certificate becomes valid, for devices whose clock is slow."""

EARLIEST = datetime.fromisoformat("2026-01-01T00:00:00+00:00")
"""A clock that shows an earlier time is wrong: a computer without a battery for its clock starts
like that. A certificate made then would be invalid as soon as the clock is set."""

HOME_NAMES = (
    "localhost",
    "local",
    "lan",
    "home",
    "home.arpa",
    "internal",
    "intranet",
    "localdomain",
    "private",
)
"""Domains of local networks, none of which anybody can own in public."""

HOME_NETWORKS: tuple[IPv4Network | IPv6Network, ...] = tuple(
    map(
        ip_network,
        (
            "127.0.0.0/8",
            "10.0.0.0/8",
            "172.16.0.0/12",
            "192.168.0.0/16",
            "169.254.0.0/16",
            "100.64.0.0/10",  # shared addresses, among them those of private networks over others
            "::1/128",
            "fc00::/7",
            "fe80::/10",
        ),
    )
)
"""Networks whose addresses mean another computer in every house."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A certificate and its private key."""

    certificate: x509.Certificate
    key: PrivateKeyTypes

    def pem(self) -> bytes:
        """Both as PEM, the key first, unencrypted."""
        return self.key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        ) + pem_of(self.certificate)


@dataclass(frozen=True, slots=True)
class CertificateFacts:
    """What decides whether a server's certificate can still be used."""

    names: frozenset[str]
    """Host names and addresses."""
    valid_from: datetime
    valid_until: datetime
    signed: bool
    """Whether the present authority has signed it."""
    authority_until: datetime
    """When that authority expires; no certificate of it is valid longer."""


def needs_renewal(facts: CertificateFacts, wanted: Iterable[str], now: datetime) -> str | None:
    """Why a server's certificate has to be replaced; None: it can stay. Pure.

    A certificate that also has names that are no longer wanted stays: a laptop that changes between
    networks comes back to them.
    """
    if not facts.signed:
        return "another authority signed it"
    if now < facts.valid_from:
        return "it is not valid yet"
    if facts.valid_until < min(now + RENEW_BEFORE, facts.authority_until):
        return "it expires soon"
    missing = sorted(set(wanted) - facts.names)
    if missing:
        return f"it lacks {', '.join(missing)}"
    return None


def facts_of(certificate: x509.Certificate, authority: x509.Certificate) -> CertificateFacts:
    """The facts of a server's certificate, of which ``authority`` should be the issuer."""
    return CertificateFacts(
        frozenset(names_of(certificate)),
        certificate.not_valid_before_utc,
        certificate.not_valid_after_utc,
        is_signed_by(certificate, authority),
        authority.not_valid_after_utc,
    )


def make_authority(names: Iterable[str], now: datetime) -> Identity:
    """Make an authority that may only vouch for computers in local networks and for ``names``."""
    key = ec.generate_private_key(ec.SECP256R1())
    # Random, so that a person who trusts two can distinguish them, and no browser confuses them.
    subject = _name(f"Lo-Bug authority {secrets.token_hex(4)}")
    begin = (now - BACKDATED).replace(microsecond=0)
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    certificate = (
        _builder(subject, subject, key.public_key(), begin, begin + AUTHORITY_LIFETIME)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .add_extension(identifier, critical=False)
        # Not critical, against RFC 5280: mbedTLS, which devices use, cannot read it and would then
        # refuse the authority. Programs that can read it obey it in any case.
        .add_extension(_constraints(names), critical=False)
        .sign(key, hashes.SHA256())
    )
    return Identity(certificate, key)


def issue(authority: Identity, names: Sequence[str], now: datetime) -> Identity:
    """Make a certificate for a server with these host names and addresses."""
    signer = authority.key
    if not isinstance(signer, ec.EllipticCurvePrivateKey):
        raise TypeError("the authority's key is not an elliptic curve's")
    key = ec.generate_private_key(ec.SECP256R1())
    begin = (now - BACKDATED).replace(microsecond=0)
    end = min(begin + SERVER_LIFETIME, authority.certificate.not_valid_after_utc)
    issuer = authority.certificate
    identifier = issuer.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    certificate = (
        # The computer's name is not in it: everybody who reaches the port can read it.
        _builder(_name("Lo-Bug"), issuer.subject, key.public_key(), begin, end)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier),
            critical=False,
        )
        .add_extension(
            x509.SubjectAlternativeName([_general_name(name) for name in names]), critical=False
        )
        .sign(signer, hashes.SHA256())
    )
    return Identity(certificate, key)


def permitted(authority: x509.Certificate, names: Iterable[str]) -> tuple[list[str], list[str]]:
    """Divide names into those for which an authority may vouch, and the others. One of the others
    in a certificate would make browsers refuse all of it."""
    try:
        allowed = authority.extensions.get_extension_for_class(x509.NameConstraints).value
    except x509.ExtensionNotFound:
        return list(names), []
    subtrees = allowed.permitted_subtrees or []
    domains = [tree.value for tree in subtrees if isinstance(tree, x509.DNSName)]
    networks = [tree.value for tree in subtrees if isinstance(tree, x509.IPAddress)]
    good: list[str] = []
    bad: list[str] = []
    for name in names:
        (good if _is_within(name, domains, networks) else bad).append(name)
    return good, bad


def names_of(certificate: x509.Certificate) -> list[str]:
    """The host names and addresses of a server's certificate; empty when it has none."""
    try:
        found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return []
    addresses = found.get_values_for_type(x509.IPAddress)
    return [*found.get_values_for_type(x509.DNSName), *map(str, addresses)]


def covers(certificate: x509.Certificate, host: str) -> bool:
    """Whether a server's certificate is valid for a host name or an address."""
    names = names_of(certificate)
    return host in names or (not _is_address(host) and f"*.{host.partition('.')[2]}" in names)


def is_signed_by(certificate: x509.Certificate, authority: x509.Certificate) -> bool:
    try:
        certificate.verify_directly_issued_by(authority)
    except (ValueError, TypeError, InvalidSignature):
        return False
    return True


def is_authority(certificate: x509.Certificate) -> bool:
    """Whether a certificate may sign others."""
    try:
        found = certificate.extensions.get_extension_for_class(x509.BasicConstraints)
    except x509.ExtensionNotFound:
        return False
    return found.value.ca


def fingerprint(certificate: x509.Certificate) -> str:
    """The SHA-256 of a certificate as people compare it: ``AB:CD:...``."""
    return certificate.fingerprint(hashes.SHA256()).hex(":").upper()


def pem_of(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def der_of(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.DER)


def _name(text: str) -> x509.Name:
    return x509.Name(
        [
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Lo-Bug"),
            x509.NameAttribute(NameOID.COMMON_NAME, text),
        ]
    )


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePublicKey,
    begin: datetime,
    end: datetime,
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(end)
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _constraints(names: Iterable[str]) -> x509.NameConstraints:
    trees: list[x509.GeneralName] = [x509.DNSName(name) for name in HOME_NAMES]
    trees += [x509.IPAddress(network) for network in HOME_NETWORKS]
    for name in names:
        if _is_within(name, HOME_NAMES, HOME_NETWORKS):
            continue
        # The owner's own names, and public addresses of this computer.
        tree = x509.IPAddress(ip_network(name)) if _is_address(name) else x509.DNSName(name)
        trees.append(tree)
    return x509.NameConstraints(permitted_subtrees=trees, excluded_subtrees=None)


def _is_within(
    name: str, domains: Iterable[str], networks: Iterable[IPv4Network | IPv6Network | object]
) -> bool:
    if _is_address(name):
        address = ip_address(name)
        return any(
            isinstance(network, IPv4Network | IPv6Network) and address in network
            for network in networks
        )
    return any(name == domain or name.endswith(f".{domain}") for domain in domains)


def _general_name(name: str) -> x509.GeneralName:
    return x509.IPAddress(ip_address(name)) if _is_address(name) else x509.DNSName(name)


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
