/** Measures the input of a Messages request. */
import { isAbsent } from '#lambdas/platform/json/fields.ts';
import {
  filterObjects,
  isJsonObject,
  type JsonObject,
  objectOrEmpty,
  stringOrEmpty,
} from '#lambdas/platform/json/json.ts';
import type { Prompt } from '../completion/estimate.ts';

/** `body` is that of the request. Counts the system prompt and the messages, but not the tools, as for chat. */
export function promptOf(body: JsonObject): Prompt {
  const blocks = () => [
    ...blocksOf(body.system),
    ...filterObjects(body.messages).flatMap(({ content }) => blocksOf(content)),
  ];
  return {
    textBytes: () => blocks().reduce((sum, block) => sum + textBytes(block), 0),
    hasAttachments: () => blocks().some(({ type }) => type === 'image' || type === 'document'),
  };
}

/** The blocks of a message, with the blocks inside of tool results. */
function blocksOf(content: unknown): JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return filterObjects(content).flatMap((block) => [
    block,
    ...(block.type === 'tool_result' ? blocksOf(block.content) : []),
  ]);
}

function textBytes({ text, thinking, input, source }: JsonObject): number {
  const { type, data } = objectOrEmpty(source);
  const texts = [
    text,
    thinking,
    type === 'text' ? data : '',
    isJsonObject(input) ? JSON.stringify(input) : '',
  ];
  return texts.reduce<number>((sum, value) => sum + Buffer.byteLength(stringOrEmpty(value)), 0);
}

/** Whether the provider may run tools, after which it calls the model again. */
export function hasProviderTools({ tools, mcp_servers: servers }: JsonObject): boolean {
  return !filterObjects(tools).every(isCustomTool) || filterObjects(servers).length > 0;
}

/** A tool of another type is defined by Anthropic, which also runs some of them. */
export function isCustomTool({ type }: JsonObject): boolean {
  return isAbsent(type) || type === 'custom';
}
