/** Records the output of the product during a test file, and the content that must not be in it. */
import type { Secret, WrittenText } from './find-leaks.ts';

/**
 * Matches the beginning of content members of any protocol, up to the first escape, also in truncated JSON. Texts below
 * eight characters are ignored: they are mostly names and numbers that occur elsewhere too.
 */
const contentMember =
  /"(?:content|text|arguments|reasoning|reasoning_content|thinking|refusal|partial_json|description|data|file_data|filename|url|message|msg|detail)"\s*:\s*"([^"\\]{8,64})/g;

/** Keeps the search fast. More texts would be variations of the same ones. */
const maxSecrets = 2000;
/** Per request, response or chunk. */
const maxScannedBytes = 8192;

const recording = { isOn: false, writtenTexts: [] as WrittenText[], contentTexts: new Set<string>() };

/** Clears the recording: the previous test file may have run in the same process. */
export function startRecording(): void {
  recording.isOn = true;
  recording.writtenTexts = [];
  recording.contentTexts.clear();
}

/** For output that a test captures instead of printing it. */
export function recordOutput(place: string, text: string): void {
  if (recording.isOn) recording.writtenTexts.push({ place, text });
}

/** For the bytes of requests and responses: their content must not be written. */
export function recordContent(bytes: unknown): void {
  if (!recording.isOn || recording.contentTexts.size >= maxSecrets) return;
  const start =
    typeof bytes === 'string' || bytes instanceof Uint8Array ? bytes.slice(0, maxScannedBytes) : '';
  for (const [, text = ''] of Buffer.from(start).toString().matchAll(contentMember))
    recording.contentTexts.add(text);
}

export function readRecording(): { writtenTexts: WrittenText[]; secrets: Secret[] } {
  const secrets = [...recording.contentTexts].map((text) => ({
    name: `content ("${text.slice(0, 20)}…")`,
    text,
  }));
  return { writtenTexts: recording.writtenTexts, secrets };
}
