import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { StoredPatient } from './patient.js';
import { PatientsController } from './patients.controller.js';
import { PatientsService } from './patients.service.js';

@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'postgres',
      url: process.env.DATABASE_URL!,
      entities: [StoredPatient],
      synchronize: true, // creates the table; in production, write a migration
    }),
    TypeOrmModule.forFeature([StoredPatient]),
  ],
  controllers: [PatientsController],
  providers: [PatientsService],
})
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
await app.listen(3000);
console.log('Open http://localhost:3000/patients');
