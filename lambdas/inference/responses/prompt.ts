/** Measures the input of a Responses request. */
import { filterObjects, type JsonObject, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import type { Prompt } from '../completion/estimate.ts';

const attachmentTypes: readonly string[] = [
  ...['input_image', 'input_file', 'input_audio', 'input_video'],
  ...['computer_screenshot', 'image_generation_call'],
];

/** `body` is that of the request. Counts the instructions and the input, but not the tools, as for chat. */
export function promptOf({ instructions, input }: JsonObject): Prompt {
  const parts = () => [...partsOf(instructions), ...partsOf(input)];
  return {
    textBytes: () => parts().reduce((sum, part) => sum + textBytes(part), 0),
    hasAttachments: () => parts().some(({ type }) => attachmentTypes.includes(stringOrEmpty(type))),
  };
}

/** The items of a list, with those inside of messages, of results of tools, and of reasoning. */
function partsOf(list: unknown): JsonObject[] {
  if (typeof list === 'string') return [{ text: list }];
  return filterObjects(list).flatMap((item) => [
    item,
    ...partsOf(item.content),
    ...(typeof item.output === 'string' ? [{ text: item.output }] : partsOf(outputParts(item.output))),
    ...partsOf(item.summary),
  ]);
}

/** The output of a computer call is a single part. */
function outputParts(output: unknown): unknown {
  return Array.isArray(output) ? output : [output];
}

function textBytes({ text, refusal, arguments: callArguments, input }: JsonObject): number {
  const texts = [text, refusal, callArguments, input];
  return texts.reduce<number>((sum, value) => sum + Buffer.byteLength(stringOrEmpty(value)), 0);
}

const callerTools: readonly string[] = ['function', 'custom', 'namespace', 'apply_patch', 'local_shell'];

/** Whether the provider may run tools, after which it calls the model again. */
export function hasProviderTools({ tools }: JsonObject): boolean {
  return !filterObjects(tools).every(({ type }) => callerTools.includes(stringOrEmpty(type)));
}
