# The playground in a container, for this machine alone (compose.yaml starts it with your conversations):
#   docker build -t historylab . && docker run --rm -p 127.0.0.1:8501:8501 historylab
# Any other command of ours: docker run --rm -v "$PWD:/conversations:ro" historylab show /conversations/session.jsonl
FROM python:3.13-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE app.py ./
COPY .streamlit .streamlit
COPY pages pages
COPY sample_conversations sample_conversations
COPY historylab historylab
RUN pip install --no-cache-dir --prefix=/installed .

FROM python:3.13-slim
COPY --from=build /installed /usr/local
RUN useradd --create-home --uid 10001 historylab
USER historylab
WORKDIR /home/historylab
# It listens on every address of the container, and answers by these names only: another site's page can't reach it.
ENV STREAMLIT_SERVER_ALLOWED_HOSTS="localhost 127.0.0.1 ::1"
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8501/_stcore/health', timeout=4)"]
ENTRYPOINT ["historylab"]
CMD ["--host", "0.0.0.0", "--headless"]
