/** What a test file's product code has written so far, and what it must not have written. */
import type { Secret, Writing } from './find-leaks.ts';

/**
 * The members that hold what people and models say, in any protocol, also in a piece of JSON and in broken JSON: their
 * beginnings, as far as they need no escaping. Shorter texts are names and numbers, which are elsewhere too.
 */
const saying =
  /"(?:content|text|arguments|reasoning|reasoning_content|thinking|refusal|partial_json|description|data|file_data|filename|url|message|msg|detail)"\s*:\s*"([^"\\]{8,64})/g;

/** A few thousand texts are found in any test's output at once; more would be the same ones with other numbers. */
const mostTexts = 2000;
/** Of one request, answer or piece of it. */
const mostBytes = 8192;

const watched = { isOn: false, writings: [] as Writing[], texts: new Set<string>() };

/** The file before may have run in the same process. */
export function startWatching(): void {
  watched.isOn = true;
  watched.writings = [];
  watched.texts.clear();
}

/** For what takes the product's lines itself, instead of letting it print them. */
export function noteWriting(place: string, text: string): void {
  if (watched.isOn) watched.writings.push({ place, text });
}

/** Of a request or an answer on its way, whole or in part: what is said in it is nothing to be written. */
export function notePrivate(bytes: unknown): void {
  if (!watched.isOn || watched.texts.size >= mostTexts) return;
  const start = typeof bytes === 'string' || bytes instanceof Uint8Array ? bytes.slice(0, mostBytes) : '';
  for (const [, text = ''] of Buffer.from(start).toString().matchAll(saying)) watched.texts.add(text);
}

export function whatWasWritten(): { writings: Writing[]; secrets: Secret[] } {
  const secrets = [...watched.texts].map((text) => ({
    name: `what was said ("${text.slice(0, 20)}…")`,
    text,
  }));
  return { writings: watched.writings, secrets };
}
