/** The differences between the cost reports of providers. */
import { z } from 'zod';
import type { Usd } from '#lambdas/platform/money.ts';
import { startOfPeriod } from '#lambdas/platform/period.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';

/** The part of a provider's account to which an option limits the comparison. */
type ScopeOption = 'project' | 'workspace';

export interface CostReportFormat {
  scopeOption: ScopeOption;
  /** The fields of a row, by which the report must be grouped. */
  scopeField: string;
  nameField: string;
  /** The value of the option for rows whose field is `null`. */
  nullScope?: string;
  baseUrl: string;
  path: string;
  keyVariable: string;
  keyDescription: string;
  headers(key: string): Record<string, string>;
  query(period: TimeWindow, scope: string | null): [name: string, value: string][];
  page: z.ZodType<ReportPage>;
}

export interface ReportPage {
  buckets: ReportBucket[];
  hasMore: boolean;
  nextPage: string | null;
}

/** The costs of a UTC day. */
interface ReportBucket {
  startMs: number;
  rows: ReportRow[];
}

export interface ReportRow {
  model: string | null;
  name: string | null;
  scope: string | null;
  usd: Usd;
}

/** The fields of a bucket and of its rows have other names in each format, so their schemas rename them. */
export function reportPage<Bucket>(bucket: z.ZodType<Bucket>, toBucket: (bucket: Bucket) => ReportBucket) {
  return z
    .object(
      {
        data: z.array(bucket, 'must be an array of days'),
        has_more: z.boolean('must be true or false'),
        next_page: z.string('must be text or null').nullish(),
      },
      'must be an object: a response of the cost report',
    )
    .transform(
      ({ data, has_more, next_page }): ReportPage => ({
        buckets: data.map(toBucket),
        hasMore: has_more,
        nextPage: next_page ?? null,
      }),
    );
}

export function reportRows(row: z.ZodType<ReportRow>) {
  return z.array(row, 'must be an array');
}

export const optionalText = z.string('must be text or null').nullish();

export function isStartOfDay(timestampMs: number): boolean {
  return startOfPeriod('day', timestampMs) === timestampMs;
}

export const startOfDayMessage = 'must be midnight UTC: request the report with starts of UTC days';
