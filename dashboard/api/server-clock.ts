/** The clock of the server, since that of the browser may be wrong by minutes. */

let offsetMs = 0;

/** Reads the header `Date` of a response that has just arrived. */
export function readServerClock(response: Response, browserTimeMs: number): void {
  // The header has whole seconds, rounded down.
  const serverTimeMs = Date.parse(response.headers.get('date') ?? '') + 500;
  if (!Number.isNaN(serverTimeMs)) offsetMs = serverTimeMs - browserTimeMs;
}

/** Returns the server's time at a recent time of the browser, both in milliseconds since 1970, to about a second. */
export function serverTimeMs(browserTimeMs: number): number {
  return browserTimeMs + offsetMs;
}
