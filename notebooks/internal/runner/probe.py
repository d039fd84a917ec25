import sys
print("%d.%d.%d" % sys.version_info[:3])
try:
    import venv, ensurepip
    print("venv")
except ImportError:
    print("no-venv")
