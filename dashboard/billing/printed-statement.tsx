import type { ReactNode } from 'react';
import { Badge } from '#dashboard/components/badge.tsx';
import { Fact } from '#dashboard/components/facts.tsx';
import { Notice } from '#dashboard/components/feedback/notice.tsx';
import { Heading } from '#dashboard/components/section.tsx';
import { dateFormat } from '#dashboard/components/values/locale.ts';
import { formatDateTime } from '#dashboard/components/values/time-format.ts';
import type { Statement } from '#lambdas/accounts/analytics/responses.ts';
import { monthTitle } from './months.ts';
import { KeyCostTable, LineTable, ModelTable, StatementTotals } from './statement-sections.tsx';

/** On paper it has neither frames nor shadows. */
export function StatementSheet({ statement }: { statement: Statement }) {
  return (
    <div className="flex flex-col gap-8 print:gap-6">
      {!statement.final && (
        <Notice tone="warning" title="Preliminary">
          {monthTitle(statement.month)} has not ended or is not counted in full: requests up to{' '}
          {utcTime(statement.complete_until)} are included.
        </Notice>
      )}
      <Frame>
        <div className="flex flex-col gap-6 p-5 print:p-0">
          <StatementFacts statement={statement} />
          <StatementTotals statement={statement} />
        </div>
      </Frame>
      <Part title="By model">
        <ModelTable statement={statement} />
      </Part>
      <Part title="By key">
        <KeyCostTable statement={statement} />
      </Part>
      <Part title="By model, service tier and key">
        <LineTable statement={statement} />
      </Part>
      <p className="text-[0.8125rem] text-muted">
        Calculated by the gateway from the prices that were valid when each request was received. This is an
        estimate, not an invoice: providers bill by their own records, with discounts and taxes of their own.
      </p>
    </div>
  );
}

function StatementFacts({
  statement: { organization, start, end, final, complete_until },
}: {
  statement: Statement;
}) {
  return (
    <dl className="grid gap-x-10 gap-y-4 sm:grid-cols-3 print:grid-cols-3">
      <Fact look="strong" label="Organization">
        {organization.name}
        <span className="block font-mono text-xs/5 font-normal text-muted">{organization.id}</span>
      </Fact>
      <Fact look="strong" label="Period">
        {period(start, end)}
        <span className="block text-xs/5 font-normal text-muted">Days of UTC</span>
      </Fact>
      <Fact look="strong" label="State">
        {final ? 'Final' : <Badge tone="warning">Preliminary</Badge>}
        <span className="block text-xs/5 font-normal text-muted">
          {final ? 'All requests are counted' : `Complete up to ${utcTime(complete_until)}`}
        </span>
      </Fact>
    </dl>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <Heading className="mb-3 break-after-avoid print:mb-1">{title}</Heading>
      <Frame>{children}</Frame>
    </div>
  );
}

function Frame({ children }: { children: ReactNode }) {
  return (
    <div className="rounded-xl border border-line bg-surface shadow-card print:rounded-none print:border-0 print:shadow-none">
      {children}
    </div>
  );
}

/** Returns text such as "1–30 Nov 2026". The end is exclusive. */
function period(start: string, end: string): string {
  const format = dateFormat({ dateStyle: 'medium', timeZone: 'UTC' });
  return format.formatRange(new Date(start), new Date(Date.parse(end) - 1));
}

function utcTime(time: string): string {
  return formatDateTime(new Date(time), undefined, 'UTC');
}
