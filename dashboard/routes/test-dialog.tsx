import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { analyticsPath } from '#dashboard/api/analytics.ts';
import { post } from '#dashboard/api/client.ts';
import { Button } from '#dashboard/components/button.tsx';
import { ChoiceChips } from '#dashboard/components/forms/chips.tsx';
import { Form } from '#dashboard/components/forms/form.tsx';
import { TextAreaField } from '#dashboard/components/forms/text-area-field.tsx';
import { Dialog, DialogActions } from '#dashboard/components/overlay/dialog.tsx';
import { useLast } from '#dashboard/components/overlay/once-opened.tsx';
import { operationTitles } from '#dashboard/components/request/operation.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { RouteSummary } from '#lambdas/accounts/organizations/responses.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { OperationName } from '#lambdas/request-log/operation.ts';
import { parseJsonObject } from './json-object.ts';
import { TestResult } from './test-result.tsx';
import { modelOf } from './words.ts';

interface TestDialogProps {
  /** Null closes the dialog. */
  route: RouteSummary | null;
  onClose: () => void;
}

/** Says which target of a route would serve a request, without sending it. */
export function TestDialog({ route, onClose }: TestDialogProps) {
  const shown = useLast(route);
  if (shown === null) return null;
  return (
    <Dialog
      wide
      open={route !== null}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={`Test ${modelOf(shown)}`}
      description="Shows which target would serve a request. Nothing is sent to a provider."
    >
      <TestForm route={shown} onDone={onClose} />
    </Dialog>
  );
}

export function TestForm({ route, onDone }: { route: RouteSummary; onDone: () => void }) {
  const { id: organizationId } = useOrganization();
  const [operation, setOperation] = useState<OperationName>('chat.completions');
  const [text, setText] = useState(exampleOf(operation));
  const testing = useMutation({
    mutationFn: () =>
      post(analyticsPath(organizationId, `/routes/${encodeURIComponent(route.name)}/test`), {
        operation,
        request: { ...parseJsonObject(text), model: modelOf(route) },
      }),
  });
  const chooseOperation = (chosen: OperationName) => {
    if (text === exampleOf(operation)) setText(exampleOf(chosen));
    setOperation(chosen);
    testing.reset();
  };
  return (
    <Form fields={['operation', 'request']} error={testing.error} onSubmit={() => testing.mutateAsync()}>
      <div className="flex flex-col gap-5">
        <ChoiceChips
          label="Operation"
          options={operations.map((value) => ({ value, label: operationTitles[value] }))}
          value={operation}
          onValueChange={chooseOperation}
          columns="grid-cols-2 sm:grid-cols-4"
        />
        <TextAreaField
          label="Request"
          name="request"
          description="The body as JSON. Its model is this route."
          rows={8}
          value={text}
          onValueChange={(value) => {
            setText(value);
            testing.reset();
          }}
          validate={checkRequest}
        />
        {testing.data && <TestResult result={testing.data} strategy={route.strategy} />}
      </div>
      <DialogActions>
        <Button onClick={onDone}>Close</Button>
        <Button type="submit" variant="primary" pending={testing.isPending}>
          Test
        </Button>
      </DialogActions>
    </Form>
  );
}

const operations = Object.keys(operationTitles) as OperationName[];

const examples: Record<OperationName, JsonObject> = {
  'chat.completions': { messages: [{ role: 'user', content: 'Hello!' }], stream: true },
  embeddings: { input: 'Hello!' },
  messages: { max_tokens: 1024, messages: [{ role: 'user', content: 'Hello!' }] },
  responses: { input: 'Hello!' },
};

export function exampleOf(operation: OperationName): string {
  return JSON.stringify(examples[operation], null, 2);
}

/** Returns why a text is refused, or `null`. */
export function checkRequest(text: string): string | null {
  return parseJsonObject(text) === null ? 'Enter the body of a request, which is a JSON object' : null;
}
