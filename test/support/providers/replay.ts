/** Recorded answers, sent as they were recorded. */
import type { Fixture } from './fixture.ts';
import { type Answer, jsonAnswer, streamAnswer } from './upstream-answers.ts';

/** The fixture's answer in the form that was requested; `encode` makes an event of its protocol into bytes. */
export function replay(
  { plain, stream }: Fixture,
  streamed: boolean,
  encode: (event: unknown) => Buffer | string,
): Answer {
  const recorded = streamed ? stream : plain;
  if (recorded === null) throw new Error('The fixture has no answer of this form');
  const { status, headers } = recorded;
  if (!('events' in recorded)) return jsonAnswer(recorded.body, { status, headers });
  const ending = recorded.cut === true ? 'close' : 'complete';
  return streamAnswer(recorded.events.map(encode), { status, headers, ending });
}
