import { z } from 'zod';
import { timestamp } from '#cli/options.ts';
import { startOfPeriod } from '#lambdas/platform/period.ts';
import { classifyHost } from '#lib/settings/host-kind.ts';
import type { CostReportFormat } from './report-format.ts';
import { reportFormats, reportProviders } from './report-providers.ts';

const dayMessage = 'must be a UTC day, such as 2026-01-31';

/** Milliseconds since 1970. Accepts an RFC 3339 timestamp at midnight UTC as well. */
const utcDay = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}(?:[Tt ].*)?$/, { error: dayMessage, abort: true })
  .transform((text) => (text.length === 10 ? `${text}T00:00:00Z` : text))
  .pipe(timestamp)
  .refine((timestampMs) => startOfPeriod('day', timestampMs) === timestampMs, dayMessage);

const scopeId = z
  .string()
  .min(1, 'must not be empty: pass an id or omit the option')
  .refine((text) => !text.startsWith('sk-'), 'must be an id, not a key');

/** Removes a trailing slash. */
const baseUrl = z
  .string()
  .refine(isAllowedBaseUrl, 'must be an https URL, or http on a loopback address, without a query')
  .transform((text) => text.replace(/\/+$/, ''));

function isAllowedBaseUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || /[?#]/.test(text) || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && classifyHost(url.hostname) === 'loopback');
}

/** Decimal text, which the comparison calculates with exactly. */
const percent = z
  .string()
  .regex(/^(?:\d{1,2}(?:\.\d{1,6})?|100)$/, 'must be a percentage from 0 to 100, such as 0.5')
  .transform((text) => text.replace(/^0(?=\d)/, ''));

export const reconcileOptions = z
  .object({
    provider: z.enum(reportProviders, `must be ${reportProviders.join(' or ')}`),
    start: utcDay,
    end: utcDay,
    project: scopeId.optional(),
    workspace: scopeId.optional(),
    file: z.string().min(1, 'must not be empty: pass a file name or omit the option').optional(),
    baseUrl: baseUrl.optional(),
    tolerance: percent,
  })
  .superRefine((options, { addIssue }) => {
    for (const name of ['project', 'workspace'] as const) {
      if (options[name] === undefined || reportFormats[options.provider].scopeOption === name) continue;
      const supported = reportProviders.filter((provider) => reportFormats[provider].scopeOption === name);
      addIssue({ code: 'custom', path: [name], message: `requires --provider ${supported.join(' or ')}` });
    }
    if (options.file !== undefined && options.baseUrl !== undefined) {
      addIssue({ code: 'custom', path: ['baseUrl'], message: 'cannot be combined with --file' });
    }
    if (options.start >= options.end) {
      addIssue({ code: 'custom', path: ['start'], message: 'must be before --end, which is exclusive' });
    }
  });

export type ReconcileOptions = z.output<typeof reconcileOptions>;

export function scopeOf(options: ReconcileOptions, { scopeOption }: CostReportFormat): string | null {
  return options[scopeOption] ?? null;
}
