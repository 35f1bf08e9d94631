/** What the command line says, kept for a test: objects for programs and lines for people. */
import { Output } from '../../engine/cli/output.ts';

export class Heard extends Output {
  readonly objects: { [key: string]: unknown }[] = [];
  readonly lines: string[] = [];
  override object(value: { type: string }): void {
    this.objects.push(JSON.parse(JSON.stringify(value)));
  }
  override say(text = ''): void {
    this.lines.push(...text.split('\n'));
  }
}
