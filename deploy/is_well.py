"""Report by the exit status whether the server of this container answers."""

import os
import urllib.request

host = os.environ["STREAMLIT_SERVER_ALLOWED_HOSTS"].split()[0].replace("*", "any")
port = os.environ.get("STREAMLIT_SERVER_PORT", "8501")
base = os.environ.get("STREAMLIT_SERVER_BASE_URL_PATH", "").strip("/")
path = f"/{base}/_stcore/health" if base else "/_stcore/health"
urllib.request.urlopen(
    urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers={"Host": host}), timeout=4
)
