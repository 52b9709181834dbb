"""Makes independent.json: the layouts of docs/protocol/wire.md, written down a second time, in nothing but the standard library of Python 3.

Shares no code with src/. Run: python3 __test__/vectors/chronym/independent.py (a second run writes the same bytes).
"""
import base64
import hashlib
import hmac
import json
import pathlib

HERE = pathlib.Path(__file__).parent
MAX = 2**53 - 1


def H(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def u32(n):
    return n.to_bytes(4, "big")


def u64(n):
    return n.to_bytes(8, "big")


def lp(x):
    x = x.encode() if isinstance(x, str) else x
    return u32(len(x)) + x


def shake(text, length=32):
    return hashlib.shake_256(text.encode()).digest(length)


# --- Ed25519, after RFC 8032, section 6 (affine points: slow and short) ---

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P


def recover_x(y, sign):
    x2 = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(x2, (P + 3) // 8, P)
    if (x * x - x2) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    return P - x if x % 2 != sign else x


BASE = (recover_x(4 * pow(5, -1, P) % P, 0), 4 * pow(5, -1, P) % P)


def add(a, b):
    (x1, y1), (x2, y2) = a, b
    t = D * x1 * x2 * y1 * y2 % P
    return (x1 * y2 + x2 * y1) * pow(1 + t, -1, P) % P, (y1 * y2 + x1 * x2) * pow(1 - t, -1, P) % P


def times(n, point):
    result = (0, 1)
    while n:
        if n & 1:
            result = add(result, point)
        point, n = add(point, point), n >> 1
    return result


def compress(point):
    return (point[1] | (point[0] & 1) << 255).to_bytes(32, "little")


def expand(seed):
    h = hashlib.sha512(seed).digest()
    return int.from_bytes(h[:32], "little") & (1 << 254) - 8 | 1 << 254, h[32:]


def public_key(seed):
    return compress(times(expand(seed)[0], BASE))


def sign_by(a, prefix, message):
    r = int.from_bytes(hashlib.sha512(prefix + message).digest(), "little") % L
    R = compress(times(r, BASE))
    k = int.from_bytes(hashlib.sha512(R + compress(times(a, BASE)) + message).digest(), "little") % L
    return R + ((r + k * a) % L).to_bytes(32, "little")


def sign(seed, message):
    return sign_by(*expand(seed), message)


# --- encodings ---


def cbor(value):
    """RFC 8949, section 4.2.1."""
    def head(major, n):
        if n < 24:
            return bytes([major << 5 | n])
        size = 0 if n < 2**8 else 1 if n < 2**16 else 2 if n < 2**32 else 3
        return bytes([major << 5 | 24 + size]) + n.to_bytes(1 << size, "big")
    if isinstance(value, bool):
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, int):
        return head(0, value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(cbor, value))
    pairs = sorted((cbor(key), cbor(item)) for key, item in value.items())
    return head(5, len(pairs)) + b"".join(key + item for key, item in pairs)


def jcs(value):
    """RFC 8785 for ASCII member names, integers and texts without control characters."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def multibase(data):
    n, digits = int.from_bytes(data, "big"), ""
    while n:
        n, digit = divmod(n, 58)
        digits = ALPHABET[digit] + digits
    return "z" + "1" * (len(data) - len(data.lstrip(b"\0"))) + digits


def multikey(key):
    return multibase(b"\xed\x01" + key)


def hkdf(ikm, info, length=32):
    """RFC 5869 with SHA-256, no salt."""
    prk, block, out = hmac.digest(bytes(32), ikm, "sha256"), b"", b""
    for n in range(1, 1 + length // 32):
        block = hmac.digest(prk, block + info + bytes([n]), "sha256")
        out += block
    return out


# --- XSalsa20-Poly1305, after "Extending the Salsa20 nonce" and RFC 8439, section 2.5 ---


def salsa20_rounds(words):
    x = list(words)
    for _ in range(10):
        for a, b, c, d in (0, 4, 8, 12), (5, 9, 13, 1), (10, 14, 2, 6), (15, 3, 7, 11), (0, 1, 2, 3), (5, 6, 7, 4), (10, 11, 8, 9), (15, 12, 13, 14):
            for to, one, other, bits in (b, a, d, 7), (c, b, a, 9), (d, c, b, 13), (a, d, c, 18):
                n = x[one] + x[other] & 0xFFFFFFFF
                x[to] ^= n << bits & 0xFFFFFFFF | n >> 32 - bits
    return x


def salsa20_state(key, block):
    word = lambda text: [int.from_bytes(text[i:i + 4], "little") for i in range(0, len(text), 4)]
    c, k = word(b"expand 32-byte k"), word(key)
    return [c[0], *k[:4], c[1], *word(block), c[2], *k[4:], c[3]]


def words_out(words):
    return b"".join((n & 0xFFFFFFFF).to_bytes(4, "little") for n in words)


def secretbox(key, nonce, message):
    x = salsa20_rounds(salsa20_state(key, nonce[:16]))
    subkey = words_out(x[i] for i in (0, 5, 10, 15, 6, 7, 8, 9))
    stream = b""
    for counter in range((32 + len(message) + 63) // 64):
        state = salsa20_state(subkey, nonce[16:] + counter.to_bytes(8, "little"))
        stream += words_out(map(sum, zip(state, salsa20_rounds(state))))
    sealed = bytes(map(int.__xor__, message, stream[32:]))
    r = int.from_bytes(stream[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    tag = 0
    for i in range(0, len(sealed), 16):
        tag = (tag + int.from_bytes(sealed[i:i + 16] + b"\x01", "little")) * r % (2**130 - 5)
    tag = tag + int.from_bytes(stream[16:32], "little") & 2**128 - 1
    return tag.to_bytes(16, "little") + sealed


# --- the protocol ---

PROFILES = {each["id"]: each["json"] for each in json.loads((HERE / "profiles.json").read_text())}
HASHES = {id: H(text.encode()) for id, text in PROFILES.items()}
vectors = []


def domain(what, profile):
    return lp(f"chronym/{what}/v3") + HASHES[profile]


def vector(what, profile, inputs, preimage, output, **more):
    plain = {key: value.hex() if isinstance(value, bytes) else value for key, value in {**inputs, **more}.items()}
    vectors.append({"domain": what, "profile": profile, **plain, "preimage": preimage.hex(), "output": output.hex()})
    return output


MASTER = shake("master seed")
LONGEST = "n" * 63 + ".chronym"
INTERNATIONAL = "xn--mnchen-3ya.chronym"


def derive(tag, profile, rest=b"", **inputs):
    info = domain(tag, profile) + rest
    seed = hkdf(MASTER, info)
    vector(tag, profile, {"master_seed": MASTER, **inputs}, info, seed, public_key=public_key(seed))
    return seed


owner = derive("owner-key", "main", lp(LONGEST), name=LONGEST)
derive("owner-key", "test", lp(INTERNATIONAL), name=INTERNATIONAL)
node = shake("node key")
update = derive("did-update-key", "main", u64(0), index=0)
derive("did-update-key", "main", u64(MAX), index=MAX)
recovery = derive("did-recovery-key", "main", u64(1), index=1)
assertion = derive("did-assertion-key", "main", u64(2), index=2)
key = public_key(owner)


# Change keys: scalars from the change words, moved by a hash of their public point P, the name and the index.
WORDS = shake("change words")


def scalar(data):
    return int.from_bytes(data, "little") % L


info = domain("change-key", "main")
a = scalar(vector("change-key", "main", {"entropy": WORDS}, info, hkdf(WORDS, info, 64), point=compress(times(scalar(hkdf(WORDS, info, 64)), BASE))))
point = compress(times(a, BASE))


def change_key(name, index):
    preimage = domain("change-tweak", "main") + point + lp(name) + u64(index)
    digest = hashlib.sha512(preimage).digest()
    a_name = (a + scalar(digest)) % L
    vector("change-tweak", "main", {"point": point, "name": name, "index": index}, preimage, digest, public_key=compress(times(a_name, BASE)))
    info = domain("change-nonce", "main") + lp(name) + u64(index)
    prefix = vector("change-nonce", "main", {"entropy": WORDS, "name": name, "index": index}, info, hkdf(WORDS, info, 64),
                    message=info, signature=sign_by(a_name, hkdf(WORDS, info, 64), info))
    return a_name, prefix


def next_of(a_name):
    preimage = domain("next-key", "main") + compress(times(a_name, BASE))
    return vector("next-key", "main", {"change_key": compress(times(a_name, BASE))}, preimage, H(preimage))


change_keys = [change_key(LONGEST, index) for index in range(3)]
nexts = [next_of(a_name) for a_name, _ in change_keys]


def commitment_of(profile, name, salt, next=bytes(32)):
    preimage = domain("commitment", profile) + lp(name) + key + next + salt
    return vector("commitment", profile, {"name": name, "pubkey": key, "salt": salt, "next": next}, preimage, H(preimage))


C = commitment_of("main", LONGEST, shake("salt"))
commitment_of("local", INTERNATIONAL, bytes(32))
commitment_of("main", LONGEST, shake("salt"), nexts[0])


def stamp_of(profile, subject, bits):
    prefix = domain("stamp", profile) + subject
    nonce = next(n for n in range(2**40) if int.from_bytes(H(prefix, u64(n)), "big") >> 256 - bits == 0)
    vector("stamp", profile, {"subject": subject, "nonce": u64(nonce), "bits": bits}, prefix + u64(nonce), H(prefix, u64(nonce)))
    return u64(nonce)


stamp_of("main", C, 16)
stamp_of("local", C, 12)

peer = bytes.fromhex("002408011220") + public_key(node)
for seen in (1, 5_000_000, MAX):
    message = domain("receipt", "main") + C + u64(seen) + lp(peer)
    signature = sign(node, message)
    record = cbor({"commitment": C, "seen": seen, "peer": peer, "signature": signature})
    vector("receipt", "main", {"commitment": C, "seen": seen, "peer": peer, "node_seed": node}, message, signature, record=record)

pulses = json.loads((HERE.parent / "quicknet-pulses.json").read_text())["pulses"]
pulse, p = bytes.fromhex(pulses[1]["signature"]), pulses[1]["round"]
# Forms are any bytes here: signatures and layouts do not look into them.
proof = shake("proof", 200)


def seed_of(round, before):
    """y of the link before: its first form, empty for a first claim."""
    preimage = domain("vdf-seed", "main") + C + u64(round) + H(pulse) + lp(before[:100])
    return vector("vdf-seed", "main", {"commitment": C, "round": round, "pulse": pulse, "before": before}, preimage, H(preimage))


vdf_seed = seed_of(p, b"")
seed_of(MAX, proof)

for first in (p, MAX):
    preimage = domain("claim", "main") + lp(LONGEST) + C + u64(first)
    vector("claim", "main", {"name": LONGEST, "commitment": C, "first_round": first}, preimage, H(preimage))

preimage = domain("tie", "main") + C + proof[:100]
vector("tie", "main", {"commitment": C, "proof": proof}, preimage, H(preimage))

# The first 130 bits, five at a time.
CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"
for name, profile in ((LONGEST, "main"), (INTERNATIONAL, "local")):
    preimage = domain("check-code", profile) + lp(name) + lp(proof[:100])
    bits = f"{int.from_bytes(H(preimage), 'big'):0256b}"
    code = "".join(CROCKFORD[int(bits[5 * n:5 * n + 5], 2)] for n in range(26))
    vector("check-code", profile, {"name": name, "proof": proof}, preimage, H(preimage), code=code)

links = [{"p": p + 1000 * n, "pulse": shake(f"pulse {n}", 48), "iterations": 600_000_000 if n == 0 else 150_000_000, "proof": shake(f"proof {n}", 200), "salt": shake(f"salt {n}")} for n in range(3)]
for count, payload in ((1, jcs({"records": {"@": [{"type": "TXT", "value": "grüß dich"}]}, "serial": 1})), (3, b"")):
    *chain, newest = links[:count]
    vdf_proof = cbor({"v": 1, "pulse": newest["pulse"], "proof": newest["proof"], "salt": newest["salt"], **({"chain": chain} if chain else {})})
    message = domain("reveal", "main") + lp(LONGEST) + u64(newest["p"]) + u64(newest["iterations"]) + H(vdf_proof) + lp(payload)
    signature = sign(owner, message)
    record = cbor({"name": LONGEST, "pubkey": key, "drand_pulse": newest["p"], "iterations": newest["iterations"], "vdf_proof": vdf_proof, "signature": signature, "payload": payload})
    stub = cbor({"name": LONGEST, "pubkey": key, "first": links[0], **({"newest": newest} if chain else {})})
    vector("reveal", "main", {"name": LONGEST, "owner_seed": owner, "links": [{k: v.hex() if isinstance(v, bytes) else v for k, v in link.items()} for link in links[:count]], "payload": payload},
           message, signature, vdf_proof=vdf_proof, record=record, stub=stub)

# Two changes of keys: one with both signatures, one of the change key alone.
new_owners = [owner] + [derive("owner-key", "main", lp(LONGEST) + u64(index), name=LONGEST, index=index) for index in (1, 2)]
first_link = links[0]
claim = H(domain("claim", "main") + lp(LONGEST) + H(domain("commitment", "main") + lp(LONGEST) + key + nexts[0] + first_link["salt"]) + u64(first_link["p"]))
before, changes = bytes(32), []
for index, consented in ((0, True), (1, False)):
    new_key = public_key(new_owners[index + 1])
    message = domain("change", "main") + lp(LONGEST) + claim + before + new_key + nexts[index + 1] + bytes([consented])
    a_name, prefix = change_keys[index]
    change = {"key": compress(times(a_name, BASE)), "pubkey": new_key, "next": nexts[index + 1], "signature": sign_by(a_name, prefix, message)}
    if consented:
        change["consent"] = sign(new_owners[index], message)
    before = vector("change", "main", {"name": LONGEST, "claim": claim, "before": before, "consented": consented}, message, H(message),
                    **{"change_" + k: v for k, v in change.items()})
    changes.append(change)
    unchanged = {"v": 1, "pulse": first_link["pulse"], "proof": first_link["proof"], "salt": first_link["salt"], "next": nexts[0], "first": key}
    vdf_proof = cbor({**unchanged, "changes": changes})
    message = domain("reveal", "main") + lp(LONGEST) + u64(first_link["p"]) + u64(first_link["iterations"]) + H(H(cbor(unchanged)), before) + lp(b"")
    signature = sign(new_owners[index + 1], message)
    record = cbor({"name": LONGEST, "pubkey": new_key, "drand_pulse": first_link["p"], "iterations": first_link["iterations"], "vdf_proof": vdf_proof, "signature": signature, "payload": b""})
    vector("reveal", "main", {"name": LONGEST, "owner_seed": new_owners[index + 1], "links": [{k: v.hex() if isinstance(v, bytes) else v for k, v in first_link.items()}], "payload": b"",
                              "next": nexts[0], "first": key, "changes": [{k: v.hex() for k, v in each.items()} for each in changes]},
           message, signature, vdf_proof=vdf_proof, record=record, stub=cbor({"name": LONGEST, "pubkey": key, "next": nexts[0], "first": first_link}))

cache_key = {"seed": vdf_seed.hex(), "iterations": 600_000_000, "proof": proof.hex(), "key": H(vdf_seed, u64(600_000_000), proof).hex()}


def proved(document, seed, method):
    config = {"type": "DataIntegrityProof", "cryptosuite": "eddsa-jcs-2022", "created": "2026-01-01T00:00:00Z", "verificationMethod": method, "proofPurpose": "assertionMethod", "domain": HASHES["main"].hex()}
    if "@context" in document:
        config["@context"] = document["@context"]
    return {**document, "proof": {**config, "proofValue": multibase(sign(seed, H(jcs(config)) + H(jcs(document))))}}


def did_key(seed):
    mk = multikey(public_key(seed))
    return f"did:key:{mk}#{mk}"


genesis = {
    "@context": ["https://www.w3.org/ns/did/v1", "https://w3id.org/security/multikey/v1"],
    "verificationMethod": [{"id": "#key-1", "type": "Multikey", "publicKeyMultibase": multikey(public_key(assertion))}],
    "authentication": ["#key-1"], "assertionMethod": ["#key-1"], "service": [{"id": "#files", "type": "Files", "serviceEndpoint": "https://files.example/"}],
    "version": 1, "updateKeys": [multikey(public_key(update))], "recoveryKeys": [multikey(public_key(recovery))],
}
did = "did:chronym:" + multibase(b"\x12\x20" + H(jcs(genesis)))
first = proved({**genesis, "id": did, "verificationMethod": [{**genesis["verificationMethod"][0], "id": did + "#key-1", "controller": did}],
                "authentication": [did + "#key-1"], "assertionMethod": [did + "#key-1"], "service": [{**genesis["service"][0], "id": did + "#files"}]}, update, did_key(update))
second = {k: v for k, v in first.items() if k != "proof"}
second = proved({**second, "version": 2, "prev": H(jcs(first)).hex(), "alsoKnownAs": ["https://example.org/"]}, recovery, did_key(recovery))
manifest = proved({"id": did, "kid_version": 2, "version": 1, "capabilities": [{"id": "chat", "type": "Chat", "protocol": "matrix", "endpoint": "https://chat.example/"}],
                   "validFrom": "2026-01-01T00:00:00Z", "validUntil": "2027-01-01T00:00:00Z"}, assertion, did + "#key-1")

for what, id in (("key", LONGEST), ("key", INTERNATIONAL), ("coded", LONGEST + " 7kq2mx"), ("kid-key", did), ("manifest-key", did)):
    preimage = domain(what, "main") + lp(id)
    K = vector(what, "main", {"id": id}, preimage, H(preimage))

message = domain("kid-binding", "main") + lp(LONGEST) + u64(p) + lp(did)
binding = {"name": LONGEST, "firstRound": p, "signature": vector("kid-binding", "main", {"name": LONGEST, "first_round": p, "did": did, "owner_seed": owner}, message, sign(owner, message))}
preimage = domain("document-stamp", "main") + lp(did) + u64(p)
subject = vector("document-stamp", "main", {"did": did, "round": p}, preimage, H(preimage))
nonce = stamp_of("main", subject, 8)
identity = {
    "genesis": jcs(genesis).decode(), "did": did, "versions": [jcs(first).decode(), jcs(second).decode()], "signers": ["update", "recovery"], "prev": H(jcs(first)).hex(),
    "record": cbor({"v": 1, "log": [jcs(first), jcs(second)], "binding": binding, "stamp": {"round": p, "nonce": nonce}}).hex(), "manifest": jcs(manifest).decode(),
}

zone_records = {"@": [{"type": "A", "value": "192.0.2.1"}, {"type": "TXT", "value": "ä \U0001f600 \"quoted\" \\ backslash", "ttl": 60}], "_sip._tcp": [{"type": "SRV", "value": "0 5 5060 sip"}], "*": [{"type": "AAAA", "value": "2001:db8::1"}]}
zone = {"records": zone_records, "serial": MAX, "bytes": jcs({"records": zone_records, "serial": MAX}).hex()}

# A list of names, sealed into the zone of one of them.
def sealed_list(name, ids, size):
    info = domain("name-list-key", "main") + lp(name)
    list_key, list_nonce = hkdf(MASTER, info), shake("nonce of a list", 24)
    sealed = b"\x01" + list_nonce + secretbox(list_key, list_nonce, lp(cbor(ids)).ljust(size - 41, b"\0"))
    vector("name-list-key", "main", {"master_seed": MASTER, "name": name, "ids": ids, "nonce": list_nonce}, info, list_key, sealed=sealed)
    return sealed


sealed = sealed_list(LONGEST, sorted(["bob.chronym", did]), 512)
sealed_list("alice.chronym", [f"name-{n}.chronym" for n in range(30)], 2048)
zone["sealed"] = sealed.hex()
zone["with_list"] = jcs({"records": zone_records, "sealed": base64.b64encode(sealed).decode(), "serial": MAX}).hex()

# Signed lists of bootstrap peers: a set, in the order of its octets.
for profile, host, expires, listed in [
    ("main", "boot.example.org", 1_900_000_000, ["/ip6/2001:db8::1/tcp/7469/p2p/12D3KooWB", "/ip4/192.0.2.1/tcp/7469/p2p/12D3KooWA", "/dnsaddr/more.example.org", "/ip4/192.0.2.1/tcp/7469/p2p/12D3KooWA"]),
    ("test", "b", 999_999_999_999, []),
]:
    list_key = shake("key of a list")
    preimage = domain("bootstrap-list", profile) + lp(host) + u64(expires) + b"".join(map(lp, sorted(set(listed))))
    signature = sign(list_key, preimage)
    vector("bootstrap-list", profile, {"key_seed": list_key, "list": host, "expires": expires, "addresses": listed}, preimage, signature, public_key=public_key(list_key), text=f"chronym-bootstrap=v1 {expires} {signature.hex()}")

hash1, hash2 = shake("1"), shake("2")
requests = [
    {"type": "commit", "commitment": C, "nonce": bytes(7) + b"\x01"},
    {"type": "put", "kind": "reveal", "record": b"\x01\x02"},
    {"type": "get", "kind": "kid", "key": hash1},
    {"type": "list", "key": hash1, "bits": 9},
    {"type": "list", "key": hash1, "bits": 0, "after": hash2},
    {"type": "commitments"},
    {"type": "commitments", "after": hash2},
    {"type": "get", "kind": "kid", "key": hash1, "brief": True},
    {"type": "find", "key": hash1},
    {"type": "reach", "address": bytes([4, 192, 0, 2, 1, 6, 0x1d, 0x2d])},
    {"type": "list", "key": hash1, "bits": 9, "coded": True},
    {"type": "get", "kind": "coded", "key": hash1},
    {"type": "time"},
]
answers = [
    (0, {"type": "received", "receipt": b"\x01"}),
    (1, {"type": "stored"}),
    (1, {"type": "stale", "record": b"\x01"}),
    (1, {"type": "refused", "code": "taken", "detail": "another key holds it"}),
    (1, {"type": "busy"}),
    (2, {"type": "none"}),
    (2, {"type": "document", "record": b"\x01"}),
    (3, {"type": "listed", "entries": [{"key": hash1, "state": "settled", "claim": hash2, "record": hash1}, {"key": hash1[:31] + b"\xff", "state": "provisional", "claim": hash1}], "more": True}),
    (5, {"type": "commitments", "commitments": [{"commitment": hash1, "seen": MAX}], "more": False}),
    (7, {"type": "digest", "digest": hash2}),
    (8, {"type": "found", "peers": [
        {"peer": bytes.fromhex("002408011220") + hash2, "addresses": [bytes([4, 192, 0, 2, 1, 6, 0x1d, 0x2d]), bytes([41]) + bytes(15) + bytes([1, 6, 0, 1])]},
        {"peer": bytes.fromhex("002408011220") + hash1, "addresses": []},
    ]}),
    (9, {"type": "reached"}),
    (12, {"type": "time", "now": 1_800_000_000_000}),
]
reveal_get = {"type": "get", "kind": "reveal", "key": hash1}
entry = {"type": "entry", "state": "fresh", "claim": hash2, "record": b"\x01"}


def shown(value):
    """Bytes as {"hex": ...}."""
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    if isinstance(value, list):
        return [shown(item) for item in value]
    return {key: shown(item) for key, item in value.items()} if isinstance(value, dict) else value


messages = [{"message": shown(request), "frame": lp(cbor(request)).hex()} for request in requests]
messages += [{"to": shown(requests[index]), "message": shown(answer), "frame": lp(cbor(answer)).hex()} for index, answer in answers]
stub = {k: v for k, v in entry.items() if k != "record"}
messages += [{"to": shown(reveal_get), "message": shown(each), "frame": lp(cbor(each)).hex()} for each in (entry, stub)]
changed = {**stub, "digest": hash1, "changes": {"head": hash1, "final": MAX}}
messages += [{"to": shown({**reveal_get, "brief": True}), "message": shown(changed), "frame": lp(cbor(changed)).hex()}]
noticed = [{**stub, "notice": {"changes": changed["changes"]}}, {**entry, "notice": {"changes": changed["changes"], "record": hash1}}]
messages += [{"to": shown(reveal_get), "message": shown(each), "frame": lp(cbor(each)).hex()} for each in noticed]
brief_notice = {**changed, "notice": {"changes": changed["changes"], "digest": hash1}}
messages += [{"to": shown({**reveal_get, "brief": True}), "message": shown(brief_notice), "frame": lp(cbor(brief_notice)).hex()}]
brief = {**stub, "digest": hash1}
messages += [{"to": shown({**reveal_get, "brief": True}), "message": shown(brief), "frame": lp(cbor(brief)).hex()}]

# rules.md, 10: the time of v in microseconds since 1970.
serials = []
for id, text in PROFILES.items():
    beacon = json.loads(text)["beacon"]
    serials += [{"network": id, "verified": v, "highest": min(MAX, (beacon["genesis"] + (v - 1) * beacon["period"]) * 10**6)} for v in (0, 1, p, MAX)]

result = {"profiles": {id: each.hex() for id, each in HASHES.items()}, "vectors": vectors, "proof_cache_key": cache_key, "identity": identity, "zone": zone, "serials": serials, "messages": messages}
(HERE / "independent.json").write_text(json.dumps(result, indent=2, ensure_ascii=True) + "\n")
