/** The token counts and other usage of a request. */
import { formatCount } from '#dashboard/components/values/number-format.ts';
import type { LogEntryDetails } from '#lambdas/accounts/analytics/responses.ts';

/** Fields that count a part of the one before are parts. */
const usageFields = {
  input_tokens: { title: 'Input tokens' },
  cached_input_tokens: { title: 'of which cached', isPart: true },
  cache_write_input_tokens: { title: 'of which written to the cache', isPart: true },
  cache_write_1h_input_tokens: { title: 'of which written to the cache, longer lifetime', isPart: true },
  audio_input_tokens: { title: 'of which audio', isPart: true },
  cached_audio_input_tokens: { title: 'of which cached audio', isPart: true },
  image_input_tokens: { title: 'of which images', isPart: true },
  cached_image_input_tokens: { title: 'of which cached images', isPart: true },
  output_tokens: { title: 'Output tokens' },
  reasoning_tokens: { title: 'of which reasoning', isPart: true },
  audio_output_tokens: { title: 'of which audio', isPart: true },
  image_output_tokens: { title: 'of which images', isPart: true },
  total_tokens: { title: 'Input and output tokens' },
  context_tokens: { title: 'Input tokens of the longest round' },
  web_searches: { title: 'Web searches' },
  page_visits: { title: 'Page visits' },
  file_searches: { title: 'File searches' },
  audio_input_seconds: { title: 'Seconds of audio input' },
} as const satisfies Record<string, { title: string; isPart?: true }>;

type UsageField = keyof typeof usageFields;

const fieldNames = Object.keys(usageFields) as UsageField[];

interface TokenFact {
  field: UsageField;
  title: string;
  /** Whether it is a part of the count above it. */
  isPart: boolean;
  text: string;
}

/** Leaves out what does not apply, and parts without tokens. */
export function tokenFacts(entry: Pick<LogEntryDetails, UsageField>): TokenFact[] {
  return fieldNames.flatMap((field) => {
    const count = entry[field];
    const { title, isPart = false }: { title: string; isPart?: boolean } = usageFields[field];
    return count === null || (count === 0 && isPart)
      ? []
      : [{ field, title, isPart, text: formatCount(count) }];
  });
}
