/** Recorded answers, sent as they were recorded. */
import type { Fixture } from './fixture.ts';
import { jsonResponse, type Respond, streamResponse } from './upstream-responses.ts';

/** The fixture's answer in the form that was requested; `encode` makes an event of its protocol into bytes. */
export function replay(
  { plain, stream }: Fixture,
  streamed: boolean,
  encode: (event: unknown) => Buffer | string,
): Respond {
  const recorded = streamed ? stream : plain;
  if (recorded === null) throw new Error('The fixture has no answer of this form');
  const { status, headers } = recorded;
  if (!('events' in recorded)) return jsonResponse(recorded.body, { status, headers });
  const ending = recorded.cut === true ? 'close' : 'complete';
  return streamResponse(recorded.events.map(encode), { status, headers, ending });
}
