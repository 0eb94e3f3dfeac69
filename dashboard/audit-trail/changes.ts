/** The values of an audit record before and after its change, formatted for reading. */

import { formatDateTime } from '#dashboard/components/values/time-format.ts';
import { formatExactUsd } from '#dashboard/components/values/usd-format.ts';
import type { AuditValue, AuditValues } from '#lambdas/audit/record.ts';

export interface Change {
  field: string;
  label: string;
  /** Null if the record has no such value. */
  before: string | null;
  after: string | null;
}

/** Fields whose name alone does not say enough. Others are shown with spaces. */
const labels: Record<string, string> = {
  allow_unpriced: 'Allows models without a price',
  amount_usd: 'Amount',
  api_key_id: 'Key',
  expires_at: 'Expires',
  hard: 'Hard stop',
  replacement_id: 'New key',
  valid_until: 'Valid until',
};

type Locale = Intl.LocalesArgument;

export function changesOf(
  { before, after }: { before: AuditValues | null; after: AuditValues | null },
  locale?: Locale,
  timeZone?: string,
): Change[] {
  const fields = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const text = (values: AuditValues | null, field: string) => {
    const value = values?.[field];
    return value === undefined ? null : formatValue(field, value, locale, timeZone);
  };
  return [...fields].map((field) => ({
    field,
    label: labels[field] ?? readable(field),
    before: text(before, field),
    after: text(after, field),
  }));
}

function readable(field: string): string {
  const words = field.replace(/_(at|id|usd)$/, '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function formatValue(field: string, value: AuditValue, locale: Locale, timeZone?: string): string {
  if (value === null) return field === 'expires_at' ? 'Never' : 'None';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number') return value.toLocaleString(locale);
  if (typeof value === 'object') return JSON.stringify(value);
  if (field.endsWith('_usd')) return formatExactUsd(value, locale);
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return formatDateTime(new Date(value), locale, timeZone);
  return value;
}
