/** Child process counterpart of `process.ts`: an HTTP server on a free loopback port that reports its resource usage. */

import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { minuteMs } from '#lambdas/platform/duration.ts';
import type { ProcessUsage } from './process.ts';

/** Uses TLS when `TLS_KEY` and `TLS_CERTIFICATE` are file paths. `counts` are reported together with the usage. */
export function serve(listener: RequestListener, counts: Record<string, number> = {}): void {
  const server = createHttpServer(listener);
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  process.on('message', () => process.send?.(readUsage(counts)));
  process.once('disconnect', () => process.exit());
}

function createHttpServer(listener: RequestListener) {
  const { TLS_KEY, TLS_CERTIFICATE } = process.env;
  const options = { keepAliveTimeout: minuteMs, noDelay: true };
  if (!TLS_KEY || !TLS_CERTIFICATE) return createServer(options, listener);
  // Loaded lazily: a static import would add to the memory of the measured processes.
  const https = process.getBuiltinModule('node:https');
  const credentials = { key: readFileSync(TLS_KEY), cert: readFileSync(TLS_CERTIFICATE) };
  return https.createServer({ ...options, ...credentials }, listener);
}

function readUsage(counts: Record<string, number>): ProcessUsage {
  const { user, system } = process.cpuUsage();
  return {
    cpuMicros: user + system,
    rssBytes: process.memoryUsage.rss(),
    peakRssBytes: process.resourceUsage().maxRSS * 1024,
    counts,
  };
}
