import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatCount } from '#dashboard/components/values/number-format.ts';
import { formatDateTime, formatFullTime } from '#dashboard/components/values/time-format.ts';
import { isUtc, useTimeZone } from '#dashboard/components/values/time-zone.ts';
import { formatExactUsd } from '#dashboard/components/values/usd-format.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { AuditRecordSummary } from '#lambdas/accounts/organizations/responses.ts';
import type { AuditValue, AuditValues } from '#lambdas/audit/record.ts';
import type { AuditSearch } from './search.ts';

/** The values before and after, and who and what it was by its exact id. */
export function RecordDetails({ record }: { record: AuditRecordSummary }) {
  const timeZone = useTimeZone();
  const changes = changesOf(record, undefined, timeZone);
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-canvas text-[0.8125rem]">
      {changes.length > 0 && <Changes changes={changes} />}
      <dl className="grid grid-cols-1 gap-x-4 gap-y-1.5 px-3.5 py-3 not-first:border-t not-first:border-line sm:grid-cols-[auto_1fr]">
        <Detail label="Time">
          {formatFullTime(new Date(record.at), undefined, timeZone)}
          {!isUtc(timeZone) && (
            <span className="text-muted"> · {formatFullTime(new Date(record.at), undefined, 'UTC')}</span>
          )}
        </Detail>
        <Detail label={record.actor.type === 'operator' ? 'AWS identity' : 'User ID'}>
          <FilterLink search={{ actor: record.actor.id }}>{record.actor.id}</FilterLink>
        </Detail>
        <Detail label="Target ID">
          <FilterLink search={{ target: record.target.id }}>{record.target.id}</FilterLink>
        </Detail>
        <Detail label="Operation ID">{record.operation_id}</Detail>
      </dl>
    </div>
  );
}

/** Leads to all records with the same value. */
function FilterLink({ search, children }: { search: AuditSearch; children: string }) {
  const { id: organizationId } = useOrganization();
  return (
    <Link
      to="/organizations/$organizationId/audit-trail"
      params={{ organizationId }}
      search={search}
      className="rounded-sm text-accent underline-offset-3 hover:underline"
    >
      {children}
      <span className="sr-only">, all records</span>
    </Link>
  );
}

function Changes({ changes }: { changes: readonly Change[] }) {
  const [hasBefore, hasAfter] = [
    changes.some(({ before }) => before !== null),
    changes.some(({ after }) => after !== null),
  ];
  return (
    <div className="overflow-x-auto">
      <table className="w-full text-left tabular-nums">
        <thead className="text-xs text-muted">
          <tr>
            <ColumnTitle>Field</ColumnTitle>
            {hasBefore && <ColumnTitle>Before</ColumnTitle>}
            {hasAfter && <ColumnTitle>{hasBefore ? 'After' : 'Value'}</ColumnTitle>}
          </tr>
        </thead>
        <tbody>
          {changes.map(({ field, label, before, after }) => (
            <tr key={field} className="border-t border-line align-top">
              <th scope="row" className="w-1/3 px-3.5 py-2 font-normal text-muted">
                {label}
              </th>
              {hasBefore && <td className="px-3.5 py-2 wrap-anywhere text-muted">{before ?? '–'}</td>}
              {hasAfter && <td className="px-3.5 py-2 wrap-anywhere">{after ?? '–'}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ColumnTitle({ children }: { children: ReactNode }) {
  return (
    <th scope="col" className="px-3.5 py-2 font-medium">
      {children}
    </th>
  );
}

function Detail({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted max-sm:not-first:mt-1">{label}</dt>
      <dd className="min-w-0 font-mono text-xs/5 wrap-anywhere">{children}</dd>
    </>
  );
}

interface Change {
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
  concurrent: 'Concurrent requests',
  expires_at: 'Expires',
  hard: 'Hard limit',
  replacement_id: 'New key',
  valid_until: 'Valid until',
};

/** The meaning of `null` in these fields. */
const nullTexts: Record<string, string> = { expires_at: 'Never', models: 'All' };

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
  if (value === null) return nullTexts[field] ?? 'None';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number') return formatCount(value, locale);
  if (typeof value === 'object') return JSON.stringify(value);
  if (field.endsWith('_usd')) return formatExactUsd(value, locale);
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return formatDateTime(new Date(value), locale, timeZone);
  return value;
}
