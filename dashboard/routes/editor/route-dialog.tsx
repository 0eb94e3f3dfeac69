import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ApiError, put } from '#dashboard/api/client.ts';
import { reloadLists } from '#dashboard/api/organizations.ts';
import { routePath } from '#dashboard/api/routes.ts';
import { notifySuccess } from '#dashboard/components/feedback/toast.tsx';
import { useDraft } from '#dashboard/components/forms/drafts.ts';
import { Form } from '#dashboard/components/forms/form.tsx';
import { RadioCards } from '#dashboard/components/forms/radio-cards.tsx';
import { TextField } from '#dashboard/components/forms/text-field.tsx';
import { Dialog, FormActions } from '#dashboard/components/overlay/dialog.tsx';
import { useLast } from '#dashboard/components/overlay/once-opened.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { RouteSummary } from '#lambdas/accounts/organizations/responses.ts';
import { defaultAttempts, type Route, routePrefix, routeStrategies } from '#lambdas/routing/route.ts';
import { modelOf, strategyWords } from '../words.ts';
import { checkAttempts, checkName, type EditedRoute, editableRoute, routeOf } from './edited-route.ts';
import { targetFieldNames } from './target-fields.tsx';
import { TargetList } from './target-list.tsx';

interface RouteDialogProps {
  /** Null closes the dialog. */
  editing: RouteSummary | 'new' | null;
  /** All that are listed, whose names a new one may have. */
  routes: readonly RouteSummary[];
  onClose: () => void;
}

/** Sets a route of the organization. */
export function RouteDialog({ editing, routes, onClose }: RouteDialogProps) {
  const shown = useLast(editing);
  if (shown === null) return null;
  const route = shown === 'new' ? null : shown;
  return (
    <Dialog
      wide
      open={editing !== null}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={route ? 'Change route' : 'Set route'}
      description={
        route
          ? `Requests with the model ${modelOf(route)} follow the change within a minute.`
          : 'Requests use it as the model route/NAME, on every text operation.'
      }
      // Nobody loses the targets that they have entered.
      closesOnOutsidePress={false}
    >
      <RouteForm route={route} routes={routes} onDone={onClose} />
    </Dialog>
  );
}

interface RouteFormProps {
  /** Null for a new one. */
  route: RouteSummary | null;
  routes: readonly RouteSummary[];
  onDone: () => void;
}

export function RouteForm({ route, routes, onDone }: RouteFormProps) {
  const queryClient = useQueryClient();
  const { id: organizationId } = useOrganization();
  const [name, setName] = useDraft(route ? null : 'route/name', route?.name ?? '');
  const [edited, setEdited] = useDraft<EditedRoute>(
    route ? null : 'route/fields',
    editableRoute(route && storedRoute(route)),
  );
  const setting = useMutation({
    mutationFn: () => put(routePath(organizationId, name.trim()), routeOf(edited)),
    onSuccess: async (set) => {
      await reloadLists(queryClient, organizationId);
      notifySuccess(`${modelOf(set)} is set, and takes effect within a minute`);
      onDone();
    },
  });

  const change = (changes: Partial<EditedRoute>) => {
    setEdited((before) => ({ ...before, ...changes }));
    // An error may be about several targets, any of which corrects it.
    if (setting.isError) setting.reset();
  };
  const error = useMemo(() => atField(setting.error), [setting.error]);

  const namesOf = (owner: RouteSummary['owner']) =>
    routes.filter((each) => each.owner === owner).map((each) => each.name);
  const replacesOperators = route === null && namesOf('operator').includes(name.trim());
  return (
    <Form
      fields={[
        'name',
        'strategy',
        'attempts',
        ...edited.targets.flatMap((_, index) => Object.values(targetFieldNames(index))),
      ]}
      error={error}
      onSubmit={() => setting.mutateAsync()}
    >
      <div className="flex flex-col gap-5">
        {route === null && (
          <TextField
            label="Name"
            name="name"
            placeholder="Such as “fast”"
            autoComplete="off"
            value={name}
            onValueChange={setName}
            validate={(text) => checkName(text, namesOf('organization'))}
            hint={
              replacesOperators
                ? `Replaces the operator's ${routePrefix}${name.trim()} for this organization.`
                : name.trim() !== '' && `The model of requests: ${routePrefix}${name.trim()}`
            }
          />
        )}
        <RadioCards
          label="First target"
          name="strategy"
          options={routeStrategies.map((value) => ({
            value,
            label: strategyWords[value].title,
            description: strategyWords[value].description,
          }))}
          value={edited.strategy}
          onValueChange={(strategy) => change({ strategy })}
        />
        <TargetList
          targets={edited.targets}
          strategy={edited.strategy}
          onChange={(targets) => change({ targets: [...targets] })}
        />
        <TextField
          label="Attempts"
          name="attempts"
          description="The most targets to which one request is sent."
          placeholder={String(defaultAttempts)}
          inputMode="numeric"
          autoComplete="off"
          value={edited.attempts}
          onValueChange={(attempts) => change({ attempts })}
          validate={checkAttempts}
        />
      </div>
      <FormActions onCancel={onDone} pending={setting.isPending}>
        {route ? 'Change route' : 'Set route'}
      </FormActions>
    </Form>
  );
}

/** An error about a whole target, such as one that is there twice, is shown at its model, and one about all weights at the first. */
export function atField(error: Error | null): Error | null {
  if (!(error instanceof ApiError) || error.param === null) return error;
  const { message, status, param, code } = error;
  if (param === 'targets') return new ApiError(message, status, targetFieldNames(0).weight, code);
  return /^targets\[\d+\]$/.test(param) ? new ApiError(message, status, `${param}.model`, code) : error;
}

/** A route that is listed has a target. */
function storedRoute({ targets: [first, ...others], strategy, attempts }: RouteSummary): Route | null {
  return first === undefined ? null : { targets: [first, ...others], strategy, attempts };
}
