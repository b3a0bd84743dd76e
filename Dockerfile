# The build stage has the compilers; the image has Node, the program and its libraries.
FROM node:24-bookworm AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json tsconfig.build.json ./
COPY src ./src
RUN npm ci && npm prune --omit=dev

FROM node:24-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY rules ./rules
# The configuration is mounted at /data, where the database is kept too.
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
HEALTHCHECK --interval=1m --timeout=10s --start-period=5m \
  CMD ["node", "/app/dist/main.js", "status", "--config", "/data/config.yaml"]
ENTRYPOINT ["node", "/app/dist/main.js"]
CMD ["run", "--config", "/data/config.yaml"]
