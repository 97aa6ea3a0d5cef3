import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { isJsonObject, type JsonValue } from '../../../shared/model/json.ts';

/** QEMU's own answer "no" to a command. `description` is for people: decisions are made by asking for the state. */
export class QmpError extends CausewayError {
  readonly command: string;
  readonly errorClass: string;
  readonly description: string;

  constructor(command: string, error: JsonValue) {
    const errorClass = isJsonObject(error) && typeof error['class'] === 'string' ? error['class'] : 'GenericError';
    const description =
      isJsonObject(error) && typeof error['desc'] === 'string' ? error['desc'].slice(0, 1000) : 'no description';
    super('source.request-refused', `QEMU rejected ${command}: ${description}`, { details: { command, errorClass } });
    this.command = command;
    this.errorClass = errorClass;
    this.description = description;
  }
}
