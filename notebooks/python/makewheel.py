"""Makes the wheel of bayescpace.py, for pip (PEP 517), with nothing but the standard library."""

import base64
import hashlib
import os
import re
import sysconfig
import zipfile

FOLDER = os.path.dirname(os.path.abspath(__file__))


def _read(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel; the setting command names a program bcpace that goes into it."""
    about = dict(re.findall(r'^([a-z-]+) = "(.*)"$', _read("pyproject.toml"), re.MULTILINE))
    stem = f"{about['name']}-{about['version']}"
    program = (config_settings or {}).get("command")
    tag = "py3-none-" + (re.sub(r"\W", "_", sysconfig.get_platform()) if program else "any")
    metadata = "".join(f"{key}: {about[of]}\n" for key, of in
                       {"Name": "name", "Version": "version", "Summary": "description", "Requires-Python": "requires-python"}.items())
    files = {
        "bayescpace.py": _read("bayescpace.py").encode(),
        f"{stem}.dist-info/METADATA": f"Metadata-Version: 2.1\n{metadata}Description-Content-Type: text/markdown\n\n{_read('README.md')}".encode(),
        f"{stem}.dist-info/WHEEL": f"Wheel-Version: 1.0\nGenerator: makewheel\nRoot-Is-Purelib: {'false' if program else 'true'}\nTag: {tag}\n".encode(),
    }
    if program:
        with open(program, "rb") as file:
            files[f"{stem}.data/scripts/{os.path.basename(program)}"] = file.read()
    record = f"{stem}.dist-info/RECORD"
    lines = []
    for name, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(text)}\n")
    files[record] = "".join([*lines, f"{record},,\n"]).encode()
    wheel = f"{stem}-{tag}.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))  # the same bytes every time
            entry.external_attr = (0o100755 if "/scripts/" in name else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, text)
    return wheel
