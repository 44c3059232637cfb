// What the parts of the stand-in say to each other.
#pragma once
#import <Foundation/Foundation.h>

// What Metal would stop a process for stops it.
void filigree_stop(const char* what);

// An error that is lent.
NSError* filigree_error(NSInteger code, const char* said);
