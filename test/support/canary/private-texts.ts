/** What people and models say in a request or an answer, in any protocol, also in a piece of one and in broken JSON. */

/** The members that hold it. Shorter texts are names and numbers, which are elsewhere too. */
const saying =
  /"(?:content|text|arguments|reasoning|reasoning_content|thinking|refusal|partial_json|description|data|file_data|filename|url|message|msg|detail)"\s*:\s*"([^"\\]{8,64})/g;

/** The beginnings of all of them, as far as they need no escaping. */
export function privateTexts(raw: string): string[] {
  return [...raw.matchAll(saying)].map(([, text = '']) => text);
}
