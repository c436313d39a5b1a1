"""The one entry, `streamlit run app.py`: the server's routes, and the script that it serves."""

import streamlit as st
from starlette.middleware import Middleware

from viz.pictures import served
from viz.web.frames import frame_routes
from viz.web.guard import Guard
from viz.web.shell import page_routes
from viz.web.weights import weight_routes

routes = [*page_routes(), *frame_routes(), *weight_routes(), *served.routes()]
app = st.App("viz/script.py", routes=routes, middleware=[Middleware(Guard, own=routes)])
