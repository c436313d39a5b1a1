"""The one entry, `streamlit run app.py`: the server's routes, and the script that it serves."""

import streamlit as st

from model.memory.allocator import keep_freed_memory
from viz.web.routes import guarded, own_routes

keep_freed_memory()  # before any thread gets its own heap
routes = own_routes()
app = st.App("viz/script.py", routes=routes, middleware=guarded(routes))
