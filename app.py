"""The one entry, `streamlit run app.py`: the server's routes, and the script that it serves."""

import streamlit as st

from viz.web.routes import guarded, own_routes

routes = own_routes()
app = st.App("viz/script.py", routes=routes, middleware=guarded(routes))
