import { Link, useSearch } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { classNames } from '#dashboard/components/class-names.ts';
import { CopyButton } from '#dashboard/components/copying.tsx';
import { Fact, FactList } from '#dashboard/components/facts.tsx';
import { operationTitles } from '#dashboard/components/request/operation.ts';
import { isAttempt } from '#dashboard/components/request/outcome.ts';
import { Section } from '#dashboard/components/section.tsx';
import { ForeignText } from '#dashboard/components/values/foreign-text.tsx';
import { tierTitle } from '#dashboard/components/values/rates.ts';
import { Usd } from '#dashboard/components/values/usd.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { FilterValues } from '#dashboard/filters/fields.ts';
import { useKeyName } from '#dashboard/key-names/use-key-names.ts';
import { addDays, parseRangeSearch, type RangeSearch } from '#dashboard/range/range.ts';
import type { LogEntryDetails } from '#lambdas/accounts/analytics/responses.ts';
import { dayMs } from '#lambdas/platform/duration.ts';
import type { EntryProps } from './entry-props.ts';
import { tokenFacts } from './token-facts.ts';

/** All that is known about the request. */
export function FactSections({ entry }: EntryProps) {
  return (
    <>
      <Section title="Request">
        <div className="px-5 py-5">
          <FactList columns={2}>
            <Fact label={isAttempt(entry) ? 'Attempt ID' : 'Request ID'}>
              <Copied label="Copy request ID" text={entry.id} />
            </Fact>
            {entry.response_id !== null && (
              <Fact label="Response ID">
                <Copied label="Copy response ID" text={entry.response_id} />
              </Fact>
            )}
            {entry.provider_request_id !== null && (
              <Fact label="Provider’s request ID">
                <Copied label="Copy the provider’s request ID" text={entry.provider_request_id} />
              </Fact>
            )}
            <Fact label="Operation">{operationTitles[entry.operation]}</Fact>
            <Callers entry={entry} />
            {entry.route !== null && (
              <Fact label="Route">
                <LogsLink entry={entry} filters={{ route: entry.route }}>
                  {entry.route}
                </LogsLink>
              </Fact>
            )}
            <Fact label="Response">{entry.stream ? 'Streamed' : 'Not streamed'}</Fact>
            <Fact label="Retries">{entry.retries ?? 'None'}</Fact>
            {entry.provider_calls !== null && <Fact label="Provider calls">{entry.provider_calls}</Fact>}
            {entry.finish_reason !== null && <Fact label="Finish reason">{entry.finish_reason}</Fact>}
            {entry.reserved_usd !== null && (
              <Fact label="Reserved from budgets">
                <Usd amount={entry.reserved_usd} />
              </Fact>
            )}
          </FactList>
        </div>
      </Section>
      <Section title="Model and usage">
        <div className="grid gap-x-8 gap-y-5 px-5 py-5 sm:grid-cols-2">
          <FactList columns={1}>
            <ModelFacts entry={entry} />
          </FactList>
          <TokenList entry={entry} />
        </div>
      </Section>
    </>
  );
}

const linkClasses = 'rounded-sm font-medium wrap-anywhere text-accent underline-offset-3 hover:underline';

/** The key, prompt, session and user of the request, with links to the other requests of each. */
function Callers({ entry }: EntryProps) {
  const { id: organizationId } = useOrganization();
  const search = useSearch({ strict: false });
  const keyName = useKeyName(entry.api_key_id)?.name ?? entry.api_key_id;
  const range = entryRange({ ...search }, entry.created_at, new Date());
  const { prompt_id, session_id, user_id } = entry;
  return (
    <>
      <Fact label="Key">
        <LogsLink entry={entry} filters={{ api_key_id: entry.api_key_id }}>
          <bdi>{keyName}</bdi>
        </LogsLink>
      </Fact>
      {prompt_id !== null && (
        <Fact label="Prompt">
          <Link
            to="/organizations/$organizationId/prompts"
            params={{ organizationId }}
            search={{ ...range, prompt_id }}
            className={linkClasses}
          >
            <ForeignText>{prompt_id}</ForeignText>
          </Link>
        </Fact>
      )}
      {session_id !== null && (
        <Fact label="Session">
          <Link
            to="/organizations/$organizationId/sessions"
            params={{ organizationId }}
            search={{ ...range, session_id }}
            className={linkClasses}
          >
            <ForeignText>{session_id}</ForeignText>
          </Link>
        </Fact>
      )}
      {user_id !== null && (
        <Fact label="User">
          <LogsLink entry={entry} filters={{ user_id }}>
            <ForeignText>{user_id}</ForeignText>
          </LogsLink>
        </Fact>
      )}
    </>
  );
}

/** Since when, by whom and where the prices of the model are set. */
function PricesFact({ model }: { model: string }) {
  const { id: organizationId } = useOrganization();
  return (
    <Fact label="Prices">
      <Link
        to="/organizations/$organizationId/models"
        params={{ organizationId }}
        search={{ model }}
        className={linkClasses}
      >
        In the list of models
      </Link>
    </Fact>
  );
}

function ModelFacts({ entry }: EntryProps) {
  const { model, provider, response_model, service_tier, speed, region, inference_geo } = entry;
  return (
    <>
      {model !== null && (
        <Fact label="Model">
          <LogsLink entry={entry} filters={{ model, provider: provider ?? undefined }}>
            {model}
          </LogsLink>
        </Fact>
      )}
      {model !== null && provider !== null && <PricesFact model={`${provider}/${model}`} />}
      {response_model !== null && response_model !== model && (
        <Fact label="Model in the response">{response_model}</Fact>
      )}
      {provider !== null && <Fact label="Provider">{provider}</Fact>}
      {service_tier !== null && <Fact label="Service tier">{tierTitle(service_tier)}</Fact>}
      {speed !== null && <Fact label="Speed">{speed}</Fact>}
      {region !== null && <Fact label="Region">{region}</Fact>}
      {inference_geo !== null && <Fact label="Place of inference">{inference_geo}</Fact>}
    </>
  );
}

function TokenList({ entry }: EntryProps) {
  const facts = tokenFacts(entry);
  if (facts.length === 0) return <p className="text-muted">No usage was reported.</p>;
  return (
    <dl className="self-start text-[0.8125rem]">
      {facts.map(({ field, title, isPart, text }) => (
        <div
          key={field}
          className={classNames(
            'flex min-h-7 items-center justify-between gap-4',
            isPart ? 'pl-4' : 'border-line not-first:mt-1 not-first:border-t not-first:pt-1',
          )}
        >
          <dt className={isPart ? 'text-muted' : undefined}>{title}</dt>
          <dd className={classNames('tabular-nums', isPart ? 'text-muted' : 'font-medium')}>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

interface LogsLinkProps {
  entry: LogEntryDetails;
  filters: FilterValues;
  children: ReactNode;
}

/** Leads to the list of requests with the same value. */
function LogsLink({ entry, filters, children }: LogsLinkProps) {
  const { id: organizationId } = useOrganization();
  const search = useSearch({ strict: false });
  return (
    <Link
      to="/organizations/$organizationId/logs"
      params={{ organizationId }}
      search={{ ...entryRange({ ...search }, entry.created_at, new Date()), ...filters }}
      className={linkClasses}
    >
      {children}
    </Link>
  );
}

function Copied({ label, text }: { label: string; text: string }) {
  return (
    <span className="flex items-start gap-1">
      {/* At 360 pixels, an id of the gateway is one line. Longer ones break at hyphens rather than before a last digit. */}
      <span className="min-w-0 font-mono text-[0.6875rem]/5 wrap-anywhere min-[25rem]:text-[0.8125rem]/5">
        {text.split(/(?<=-)/).map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of an id have no other key
          <Fragment key={index}>
            {part}
            <wbr />
          </Fragment>
        ))}
      </span>
      <span className="-my-1.5">
        <CopyButton label={label} text={text} />
      </span>
    </span>
  );
}

/** The default range of the views. */
const defaultDays = 30;

/** Returns that of the list that the entry was opened from, or else one with the entry: its day, if it is old. */
export function entryRange(search: Record<string, unknown>, createdAt: string, now: Date): RangeSearch {
  const range = parseRangeSearch(search);
  if (range.range !== undefined || range.start !== undefined) return range;
  if (now.getTime() - Date.parse(createdAt) < (defaultDays - 1) * dayMs) return range;
  const date = createdAt.slice(0, 10);
  return { start: date, end: addDays(date, 1) };
}
