/** A whole message as the events that it would have come in. */
import { type JsonObject, objectsIn } from '../../domain/json.ts';

export function eventsOfMessage(message: JsonObject): JsonObject[] {
  const { content, usage, stop_reason, stop_details } = message;
  return [
    { type: 'message_start', message },
    ...objectsIn(content).flatMap((content_block, index) => [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: stop_reason ?? 'end_turn', stop_details }, usage },
  ];
}
