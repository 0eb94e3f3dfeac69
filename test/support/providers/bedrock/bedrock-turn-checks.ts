/**
 * What Converse itself refuses in a conversation, whatever the model, in its own words.
 * The words are from errors that people have reported: github.com/vercel/ai packages/amazon-bedrock/src/__fixtures__,
 * agno-agi/agno#6698, OpenHands/OpenHands#4912, simonw/llm-bedrock#8, aws-amplify/amplify-backend#2977.
 */
import { isJsonObject } from '#lambdas/platform/json/json.ts';
import { refuse } from './bedrock-errors.ts';
import type { Block, ConverseRequest, Turn } from './bedrock-request.ts';

export function checkConversation({ messages = [], toolConfig }: ConverseRequest): void {
  const [first] = messages;
  if (first === undefined) refuse('A conversation must have at least one message. Try again with a message.');
  for (const [index, turn] of messages.entries()) checkBlocks(turn, index);
  if (first.role !== 'user') {
    refuse(
      'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
    );
  }
  if (messages.some((turn, index) => turn.role === messages[index - 1]?.role)) {
    refuse(
      'A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.',
    );
  }
  const blocks = messages.flatMap(({ content }) => content);
  if (toolConfig === undefined && blocks.some(({ toolUse, toolResult }) => toolUse ?? toolResult)) {
    refuse('The toolConfig field must be defined when using toolUse and toolResult content blocks.');
  }
  for (const [index, turn] of messages.entries()) checkToolPairs(turn, messages[index + 1], index + 1);
  if (first.content.some(({ toolResult }) => toolResult !== undefined)) tooManyResults(0);
}

function checkBlocks({ role, content }: Turn, index: number): void {
  if (content.length === 0) {
    refuse(
      `The content field in the Message object at messages.${index} is empty. Add a ContentBlock object to the content field and try again.`,
    );
  }
  if (content.every(({ cachePoint }) => cachePoint !== undefined)) {
    refuse('There is nothing available to cache. Please remove the invalid cache point and try again.');
  }
  for (const [place, block] of content.entries()) checkBlock(block, `messages.${index}.content.${place}`);
  const wrong = role === 'user' ? wrongInUserTurn(content) : wrongInAssistantTurn(content);
  if (wrong !== null) refuse(wrong);
  if (
    content.some(({ document }) => document !== undefined) &&
    !content.some(({ text }) => text !== undefined)
  ) {
    refuse(
      `A text block is required with a document block at messages.${index}. Add a text block and try again.`,
    );
  }
  const ids = content.flatMap(({ toolUse }) => toolUse?.toolUseId ?? []);
  const repeated = ids.filter((id, place) => ids.indexOf(id) !== place);
  if (repeated.length > 0) {
    refuse(`The toolUse blocks at messages.${index}.content contain duplicate Ids: ${repeated.join(', ')}`);
  }
}

function checkBlock({ text, document, toolUse, toolResult }: Block, path: string): void {
  if (text?.trim() === '') {
    refuse(
      `The text field in the ContentBlock object at ${path} is blank. Add text to the text field, and try again.`,
    );
  }
  if (document !== undefined) checkDocumentName(document.name);
  if (toolUse !== undefined && !isJsonObject(toolUse.input)) invalidJson(`${path}.toolUse.input`);
  if (toolResult === undefined) return;
  if (toolResult.status === 'error' && toolResult.content.length === 0) {
    refuse(`The content field at ${path}.toolResult cannot be empty when status value is error.`);
  }
  for (const [place, part] of toolResult.content.entries()) {
    if (part.json !== undefined && !isJsonObject(part.json)) {
      invalidJson(`${path}.toolResult.content.${place}.json`);
    }
  }
}

/** The underscore is allowed, though the words do not say so. */
function checkDocumentName(name: string): void {
  if (/^[a-zA-Z0-9_\-()[\] ]+$/.test(name) && !name.includes('  ')) return;
  refuse(
    "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets. The name can't contain more than one consecutive whitespace character. Check that the file name conforms to these restrictions and retry your request.",
  );
}

function invalidJson(path: string): never {
  refuse(`The format of the value at ${path} is invalid. Provide a json object for the field and try again.`);
}

function wrongInUserTurn(content: Block[]): string | null {
  if (content.some(({ reasoningContent }) => reasoningContent !== undefined)) {
    return 'User messages cannot contain reasoning content. Please remove the reasoning content and try again.';
  }
  if (content.some(({ toolUse }) => toolUse !== undefined)) {
    return 'User messages cannot contain tool uses. Please remove the tool use and try again.';
  }
  return null;
}

function wrongInAssistantTurn(content: Block[]): string | null {
  const hasMedia = content.some(({ image, document }) => image !== undefined || document !== undefined);
  return hasMedia
    ? 'Assistant messages cannot contain images or documents. Please remove them and try again.'
    : null;
}

/** The results of all calls of a turn stand in the next one. */
function checkToolPairs(turn: Turn, next: Turn | undefined, nextIndex: number): void {
  const called = turn.content.flatMap(({ toolUse }) => toolUse?.toolUseId ?? []);
  const answered = next?.content.flatMap(({ toolResult }) => toolResult?.toolUseId ?? []) ?? [];
  const missing = called.filter((id) => !answered.includes(id));
  if (missing.length > 0) {
    refuse(
      `Expected toolResult blocks at messages.${nextIndex}.content for the following Ids: ${missing.join(', ')}`,
    );
  }
  if (answered.some((id) => !called.includes(id))) tooManyResults(nextIndex);
}

function tooManyResults(index: number): never {
  refuse(
    `The number of toolResult blocks at messages.${index}.content exceeds the number of toolUse blocks of previous turn.`,
  );
}
