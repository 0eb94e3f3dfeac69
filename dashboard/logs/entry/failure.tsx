import { Fact } from '#dashboard/components/facts.tsx';
import { Notice } from '#dashboard/components/feedback/notice.tsx';
import { isAttempt, outcomeLooks } from '#dashboard/components/request/outcome.ts';
import { ForeignText } from '#dashboard/components/values/foreign-text.tsx';
import type { LogEntryDetails } from '#lambdas/accounts/analytics/responses.ts';
import type { EntryProps } from './entry-props.ts';
import { explainError } from './error-codes.ts';
import { RateLimitNotice } from './rate-limit-notice.tsx';
import { RefusalNotice } from './refusal-notice.tsx';

/** Why the request was not completed. */
export function Failure({ entry }: EntryProps) {
  const { outcome, refusal } = entry;
  if (refusal?.by === 'rate_limit') return <RateLimitNotice refusal={refusal} entry={entry} />;
  if (refusal !== null) return <RefusalNotice refusal={refusal} errorCode={entry.error_code} />;
  if (outcome === 'completed') return null;
  const { sentence, tone } = outcomeLooks[outcome];
  return (
    <Notice
      tone={tone}
      title={
        isAttempt(entry)
          ? `This attempt ${sentence}. The request was sent to another target`
          : `The request ${sentence}`
      }
    >
      <ErrorFacts entry={entry} />
    </Notice>
  );
}

/** The code of the error with its explanation, and what else is kept of it. */
function ErrorFacts({ entry }: EntryProps) {
  const { error_code: code, error_type: type, error_param: parameter, error_message: message } = entry;
  if (code === null && type === null && message === null) return null;
  const explanation = explainError(entry);
  return (
    <>
      {code !== null && (
        <p>
          Error code <ErrorWord text={code} />
          {explanation && `: ${explanation}`}
        </p>
      )}
      {message !== null && (
        <p className="mt-1.5 wrap-anywhere text-text">
          <ForeignText>{message}</ForeignText>
        </p>
      )}
      {isMessageLeftOut(entry) && (
        <p className="mt-1.5">The provider’s message is not kept, since it may quote the request.</p>
      )}
      {(type !== null || parameter !== null) && (
        <dl className="mt-3 grid gap-x-8 gap-y-3 text-text sm:grid-cols-2">
          {type !== null && (
            <Fact label="Type">
              <ForeignText>{type}</ForeignText>
            </Fact>
          )}
          {parameter !== null && (
            <Fact label="Parameter">
              <ForeignText>{parameter}</ForeignText>
            </Fact>
          )}
        </dl>
      )}
    </>
  );
}

function ErrorWord({ text }: { text: string }) {
  return (
    <strong className="font-medium wrap-anywhere text-text">
      <ForeignText>{text}</ForeignText>
    </strong>
  );
}

/** Whether the response had a message that a provider may have written. */
function isMessageLeftOut({ outcome, error_message: message }: LogEntryDetails): boolean {
  return outcome === 'provider_error' && message === null;
}
