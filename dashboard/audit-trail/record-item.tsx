import { Collapsible } from '@base-ui/react/collapsible';
import { ChevronDown, Terminal } from 'lucide-react';
import { PersonAvatar } from '#dashboard/components/avatar.tsx';
import { Badge } from '#dashboard/components/badge.tsx';
import { IconButton } from '#dashboard/components/button.tsx';
import { Tooltip } from '#dashboard/components/overlay/tooltip.tsx';
import { dateFormat } from '#dashboard/components/values/locale.ts';
import { TimeInZones } from '#dashboard/components/values/time.tsx';
import { useTimeZone } from '#dashboard/range/zone.ts';
import type { AuditRecordSummary } from '#lambdas/accounts/organizations/responses.ts';
import { type PhrasePart, phraseOf } from './phrases.ts';
import { RecordDetails } from './record-details.tsx';

/** An audit record as a sentence, with its values on demand. */
export function RecordItem({ record }: { record: AuditRecordSummary }) {
  const { actor, at, stage } = record;
  const { name, detail } = actorLabel(actor);
  const phrase = phraseOf(record);
  return (
    <Collapsible.Root render={<li className="border-line px-5 py-3.5 not-first:border-t" />}>
      <div className="grid grid-cols-[auto_1fr_auto] items-start gap-x-3.5 sm:grid-cols-[auto_1fr_auto_auto]">
        {actor.type === 'operator' ? (
          <OperatorAvatar />
        ) : (
          <PersonAvatar person={{ name: actor.name, email: name }} />
        )}
        <div className="flex min-w-0 flex-col justify-center sm:min-h-8">
          <p className="break-words">
            <strong className="font-medium">{name}</strong>{' '}
            <span className="text-muted">
              <Phrase parts={phrase} />
            </span>
            {stage !== 'completed' && (
              <>
                {' '}
                <Badge tone={stage === 'failed' ? 'warning' : 'neutral'}>
                  {stage === 'failed' ? 'Failed' : 'Started'}
                </Badge>
              </>
            )}
          </p>
          {detail && (
            <Tooltip
              content={
                actor.type === 'operator' ? (
                  <OperatorHint arn={actor.id} />
                ) : (
                  <span className="break-all">{detail}</span>
                )
              }
            >
              <p className="w-fit max-w-full truncate text-[0.8125rem] text-muted">{detail}</p>
            </Tooltip>
          )}
        </div>
        <TimeOfDay value={at} />
        <div className="col-start-3 row-start-1 -mr-2 sm:col-start-4">
          <Collapsible.Trigger
            render={
              <IconButton label={`Details: ${name} ${plainText(phrase)}`}>
                <ChevronDown aria-hidden className="transition-transform in-data-panel-open:rotate-180" />
              </IconButton>
            }
          />
        </div>
      </div>
      <Collapsible.Panel className="pt-3 sm:pl-11.5">
        <RecordDetails record={record} />
      </Collapsible.Panel>
    </Collapsible.Root>
  );
}

function OperatorHint({ arn }: { arn: string }) {
  return (
    <>
      The person who operates the gateway, as <span className="break-all">{arn}</span>
    </>
  );
}

function OperatorAvatar() {
  return (
    <span className="flex size-8 shrink-0 items-center justify-center rounded-full border border-line bg-hover text-muted">
      <Terminal aria-hidden className="size-4" />
    </span>
  );
}

function Phrase({ parts }: { parts: readonly PhrasePart[] }) {
  return parts.map((part, index) =>
    typeof part === 'string' ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a record do not change.
      <strong key={index} className="font-medium text-text">
        {part.name}
      </strong>
    ),
  );
}

function plainText(parts: readonly PhrasePart[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : part.name)).join('');
}

/** The day is above. */
function TimeOfDay({ value }: { value: string }) {
  const time = new Date(value);
  const timeZone = useTimeZone();
  return (
    <Tooltip content={<TimeInZones time={time} timeZone={timeZone} />}>
      <time
        dateTime={value}
        className="col-start-2 w-fit text-[0.8125rem]/5 whitespace-nowrap text-muted tabular-nums sm:col-start-3 sm:row-start-1 sm:leading-8"
      >
        {dateFormat({ timeStyle: 'short', timeZone }).format(time)}
      </time>
    </Tooltip>
  );
}

interface ActorLabel {
  name: string;
  /** The address of a user with a name, or the kind of AWS identity. */
  detail: string | null;
}

/** They run the gateway, and need no account of the dashboard. */
const operatorTitle = 'Operator, on the command line';

export function actorLabel({ type, id, name, email }: AuditRecordSummary['actor']): ActorLabel {
  if (type === 'operator') return operatorLabel(id);
  return name === null ? { name: email ?? id, detail: null } : { name, detail: email };
}

/** Shortens an ARN such as `arn:aws:sts::123456789012:assumed-role/Admin/ada` to "ada", with the role. */
function operatorLabel(arn: string): ActorLabel {
  const resource = /^arn:[^:]*:(?:iam|sts):[^:]*:[^:]*:(.+)$/.exec(arn)?.[1];
  if (resource === undefined) return { name: arn, detail: operatorTitle };
  const [kind = '', ...path] = resource.split('/');
  const name = path.at(-1) ?? kind;
  return { name, detail: kind === 'assumed-role' ? `${operatorTitle} · ${path[0]}` : operatorTitle };
}
