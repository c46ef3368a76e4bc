import type { Command } from 'commander'
import type { Runtime } from '../runtime.ts'
import { addExportCommand } from './export.ts'
import { addGenerateCommand } from './generate.ts'
import { addImportCommand } from './import.ts'

/** import, export, generate. */
export function addDataCommands(program: Command, runtime: Runtime): void {
  addImportCommand(program, runtime)
  addExportCommand(program, runtime)
  addGenerateCommand(program, runtime)
}
