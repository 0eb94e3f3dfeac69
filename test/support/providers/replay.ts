import type { Fixture } from './fixture.ts';
import { jsonResponse, type Respond, streamResponse } from './upstream-responses.ts';

/** Sends the recorded stream or non-streaming response unchanged; `encode` serializes one event of the protocol. */
export function replay(
  { plain, stream }: Fixture,
  streamed: boolean,
  encode: (event: unknown) => Buffer | string,
): Respond {
  const recorded = streamed ? stream : plain;
  if (recorded === null)
    throw new Error(`The fixture has no ${streamed ? 'stream' : 'non-streaming response'}`);
  const { status, headers } = recorded;
  if (!('events' in recorded)) return jsonResponse(recorded.body, { status, headers });
  const ending = recorded.truncated === true ? 'close' : 'complete';
  return streamResponse(recorded.events.map(encode), { status, headers, ending });
}
