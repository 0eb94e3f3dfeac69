/** A whole answer of Converse as the events that it would have come in. */
import { isJsonObject, type JsonObject, objectOf, objectsIn } from '../../domain/json.ts';

export function eventsOfAnswer({ output, stopReason, usage, trace }: JsonObject): [string, JsonObject][] {
  const { content } = objectOf(objectOf(output).message);
  const blocks = objectsIn(content);
  return [
    ['messageStart', {}],
    ...blocks.flatMap((block, index) => eventsOfBlock(block, index)),
    ['messageStop', { stopReason }],
    ['metadata', { usage, trace }],
  ];
}

function eventsOfBlock(block: JsonObject, contentBlockIndex: number): [string, JsonObject][] {
  const delta = (delta: JsonObject): [string, JsonObject] => [
    'contentBlockDelta',
    { contentBlockIndex, delta },
  ];
  const { text, toolUse } = block;
  const { reasoningText, redactedContent } = objectOf(block.reasoningContent);
  const { content: cited } = objectOf(block.citationsContent);
  const events: [string, JsonObject][] = [];
  if (typeof text === 'string') events.push(delta({ text }));
  events.push(...objectsIn(cited).map(delta));
  if (isJsonObject(reasoningText)) events.push(delta({ reasoningContent: reasoningText }));
  if (redactedContent !== undefined) events.push(delta({ reasoningContent: { redactedContent } }));
  if (isJsonObject(toolUse)) {
    events.push(['contentBlockStart', { contentBlockIndex, start: { toolUse } }]);
    events.push(delta({ toolUse: { input: JSON.stringify(toolUse.input ?? {}) } }));
  }
  return [...events, ['contentBlockStop', { contentBlockIndex }]];
}
