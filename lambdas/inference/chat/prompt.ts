/** Measures the input of a chat request. */
import { filterObjects, objectOrEmpty, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import type { Prompt } from '../completion/estimate.ts';
import type { ChatRequest } from './body.ts';

/** Counts the messages only: tools and schemas are sent less often, and are counted differently by each provider. */
export function promptOf({ body }: Pick<ChatRequest, 'body'>): Prompt {
  const messages = () => filterObjects(body.messages);
  return {
    textBytes() {
      let bytes = 0;
      const count = (text: unknown) => {
        bytes += Buffer.byteLength(stringOrEmpty(text));
      };
      for (const { content, tool_calls } of messages()) {
        count(content);
        for (const { text } of filterObjects(content)) count(text);
        for (const call of filterObjects(tool_calls)) count(objectOrEmpty(call.function).arguments);
      }
      return bytes;
    },
    hasAttachments: () =>
      messages()
        .flatMap(({ content }) => filterObjects(content))
        .some(({ type }) => type !== 'text'),
  };
}

/** Tools other than functions run at the provider. */
export function hasProviderTools({ body }: Pick<ChatRequest, 'body'>): boolean {
  return filterObjects(body.tools).some(({ type }) => type !== 'function');
}
